const text = await Deno.readTextFile('notes.txt');
return text;
