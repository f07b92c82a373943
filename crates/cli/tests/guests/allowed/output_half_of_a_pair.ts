// expect: output {"ab�":"ab�","escaped":"\\ud83d","whole":"😀","echoed":"ab�"}
// `slice` cuts an emoji in two; the half becomes the replacement character.
const cut = 'ab😀'.slice(0, 3);
return { [cut]: cut, escaped: '\\ud83d', whole: '😀', echoed: await servers.hostile.echo({ text: cut }) };
