// expect: output {"enums":[6,"Green","yes",9],"namespaces":[1,8],"classes":[9,7,2],"generics":[1,"s",3],"chaining":"nothing","narrowed":"NARROWED","disposed":2}
enum Color { Red, Green = 5, Blue }
enum Word { Yes = 'yes' }
const enum Inlined { A = 1 << 3, B }
namespace Outer {
  export const value = 1;
  export namespace Inner { export function twice(n: number) { return n * 2; } }
}
interface Shape { area(): number }
abstract class Base implements Shape {
  static count = 0;
  #secret = 7;
  declare ignored: string;
  constructor(protected readonly side: number, public label?: string) { Base.count++; }
  abstract area(): number;
  get secret(): number { return this.#secret; }
}
class Square extends Base {
  override area() { return this.side ** 2; }
}
type Partially<T> = { [K in keyof T]?: T[K] };
type Name = `${'a' | 'b'}_${number}`;
function first<const T extends readonly unknown[]>(list: T): T[0] { return list[0]; }
function overloaded(x: string): string;
function overloaded(x: number): number;
function overloaded(x: unknown) { return x; }
const options = { retries: 3, name: 'a_1' } satisfies Partially<{ retries: number; name: Name }>;
function assertText(x: unknown): asserts x is string { if (typeof x !== 'string') throw new Error('no text'); }
const maybe = null as { deep?: { er: number } } | null;
let definite!: number;
definite = <number>(1 as unknown);
const text: unknown = 'narrowed';
assertText(text);
{
  using resource = { [Symbol.dispose]() { definite++; } };
}

return {
  enums: [Color.Blue, Color[5], Word.Yes, Inlined.B],
  namespaces: [Outer.value, Outer.Inner.twice(4)],
  classes: [new Square(3, 'sq').area(), new Square(1).secret, Base.count],
  generics: [first([1, 2] as const), overloaded('s'), options.retries!],
  chaining: maybe?.deep?.er ?? 'nothing',
  narrowed: text.toUpperCase(),
  disposed: definite,
};
