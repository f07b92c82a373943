const file = Bun.file('notes.txt');
return await file.text();
