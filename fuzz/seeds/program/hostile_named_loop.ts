(function loop() { setImmediate(loop); })();
