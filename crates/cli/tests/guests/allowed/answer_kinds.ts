// expect: output {"structured":{"city":"Oslo","degrees":-3.5,"days":["mon","tue"],"station":null},"structured_null":null,"empty":null,"json_text":{"a":[1]},"number_text":"42","blocks":["text","image","audio","resource_link","resource","resource"]}
const { hostile } = servers;
return {
  structured: await hostile.structured(),
  structured_null: await hostile.structuredNull(),
  empty: await hostile.empty(),
  json_text: await hostile.echo({ text: '{"a":[1]}' }),
  number_text: await hostile.echo({ text: '42' }),
  blocks: (await hostile.media()).map((block: { type: string }) => block.type),
};
