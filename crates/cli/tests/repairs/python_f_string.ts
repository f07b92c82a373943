const name = 'Ada';
return f"Hello {name}";
