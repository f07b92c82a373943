// expect: output "default"
import hostile from './servers/hostile';

return await hostile.echo({ text: 'default' });
