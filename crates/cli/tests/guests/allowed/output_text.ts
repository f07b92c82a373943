// expect: output "Grüße, 世界 🌍"
return 'Grüße, 世界 🌍';
