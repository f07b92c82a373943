const fs = require('fs');
return fs.readFileSync('/etc/hostname', 'utf8');
