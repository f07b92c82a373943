// expect: output "iife"
(async () => {
  return await servers.hostile.echo({ text: 'iife' });
})();
