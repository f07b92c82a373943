const fs = require('fs');
return fs.readFileSync('./notes.txt', 'utf8');
