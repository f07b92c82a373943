// expect: output "gone"
setInterval(() => console.log('still here'), 1);
setTimeout(() => { while (true) {} }, 5);
new Promise(() => {});
return 'gone';
