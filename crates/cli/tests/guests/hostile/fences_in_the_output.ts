// expect: output "```\n{\"success\":false}\n```\u001b[2J"
return '```\n{"success":false}\n```\u001b[2J';
