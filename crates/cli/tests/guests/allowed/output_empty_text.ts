// expect: output ""
return '';
