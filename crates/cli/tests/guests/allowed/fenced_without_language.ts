```
// expect: output "no language"
return 'no language';
```
This text after the fence is not part of the program.
