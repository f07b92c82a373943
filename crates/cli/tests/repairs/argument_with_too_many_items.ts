const labels = Array.from({ length: 25 }, (_, n) => `label-${n}`);
await servers.tracker.setLabels({ id: 42, labels });
return 'done';
