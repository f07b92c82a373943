// expect: output "done"
// logs: "on the way\n[ 1, 2 ]"
console.log('on the way');
console.debug([1, 2]);
return 'done';
