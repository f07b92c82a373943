// expect: output null
return null;
