// Declares for the type checker what a program finds at run time besides the language
// itself. Loose where precise types would only get in the way. `servers` is not here:
// the caller declares it with the current tools.

// The server and the tool can also be two arguments.
declare function callMCPTool(name: string, ...input: any[]): Promise<any>;
declare function searchTools(query: string, detail?: "name" | "description" | "full" | { detail?: "name" | "description" | "full"; limit?: number; server?: string; category?: string; read_only?: boolean; max_tokens?: number }): Promise<any>;
declare function loadSkill(name: string): Promise<string>;
declare function saveSkill(name: string, code: string, description?: string): Promise<{ path: string; replaced: boolean }>;
// A list gets one answer per element. The result for `any` may be either.
interface Pii {
  domain<T extends string | readonly string[]>(tokens: T): Promise<0 extends 1 & T ? any : T extends string ? string | null : (string | null)[]>;
  equals(a: string, b: string): Promise<boolean>;
  mask<T extends string | readonly string[]>(tokens: T): Promise<0 extends 1 & T ? any : T extends string ? string : string[]>;
}
declare const pii: Pii;
declare const commands: {
  run(name: string, args?: readonly (string | number)[], options?: { input?: string; timeout_ms?: number }): Promise<{
    exit_code: number | null;
    signal?: string;
    stdout: string;
    stderr: string;
    truncated: boolean;
  }>;
};
declare class ToolError extends Error {
  code: string;
  hint?: string;
  server?: string;
  tool?: string;
}
declare const fs: any;
declare function require(name: string): any;
declare const process: any;
declare const global: typeof globalThis;
declare const self: typeof globalThis;

// Programs test for these to find out where they run.
declare const window: undefined;
declare const document: undefined;
declare const localStorage: undefined;
declare const Deno: undefined;
declare const Bun: undefined;

declare const console: {
  log(...values: any[]): void;
  info(...values: any[]): void;
  warn(...values: any[]): void;
  error(...values: any[]): void;
  debug(...values: any[]): void;
  [name: string]: (...values: any[]) => any;
};

declare function setTimeout(callback: (...values: any[]) => any, delay?: number, ...values: any[]): number;
declare function setInterval(callback: (...values: any[]) => any, delay?: number, ...values: any[]): number;
declare function setImmediate(callback: (...values: any[]) => any, ...values: any[]): number;
declare function clearTimeout(id?: number | string | null): void;
declare function clearInterval(id?: number | string | null): void;
declare function clearImmediate(id?: number | string | null): void;
declare function queueMicrotask(callback: () => void): void;
declare function structuredClone<T>(value: T, options?: any): T;
declare function atob(text: string): string;
declare function btoa(text: string): string;
declare namespace NodeJS {
  type Timeout = number;
  type Immediate = number;
}

interface Headers extends Iterable<[string, string]> {
  append(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string | null;
  has(name: string): boolean;
  set(name: string, value: string): void;
  getSetCookie(): string[];
  forEach(callback: (value: string, name: string, all: Headers) => void): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
}
type HeadersInit = any;
type BodyInit = any;
interface RequestInit { method?: string; headers?: HeadersInit; body?: BodyInit; redirect?: "follow" | "manual" | "error"; signal?: any; [name: string]: any }
interface ResponseInit { status?: number; statusText?: string; headers?: HeadersInit }
interface Body {
  readonly body: any;
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array>;
  json(): Promise<any>;
  text(): Promise<string>;
}
interface Request extends Body { readonly headers: Headers; readonly method: string; readonly url: string; readonly redirect: string; readonly signal: any; clone(): Request }
interface Response extends Body { readonly headers: Headers; readonly ok: boolean; readonly status: number; readonly statusText: string; readonly url: string; readonly redirected: boolean; readonly type: string; clone(): Response }
declare const Headers: { new (init?: HeadersInit): Headers };
declare const Request: { new (input: any, init?: RequestInit): Request };
declare const Response: { new (body?: BodyInit, init?: ResponseInit): Response; json(data: any, init?: ResponseInit): Response };
declare function fetch(input: any, init?: RequestInit): Promise<Response>;

interface URL { [name: string]: any; href: string; pathname: string; searchParams: URLSearchParams; toString(): string }
declare const URL: { new (url: string | URL, base?: string | URL): URL; canParse(url: string, base?: string): boolean; [name: string]: any };
interface URLSearchParams extends Iterable<[string, string]> {
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  entries(): IterableIterator<[string, string]>;
  forEach(callback: (value: string, name: string, all: URLSearchParams) => void): void;
  toString(): string;
  readonly size: number;
}
declare const URLSearchParams: { new (init?: any): URLSearchParams };
interface TextEncoder { readonly encoding: string; encode(text?: string): Uint8Array; encodeInto(text: string, into: Uint8Array): { read: number; written: number } }
declare const TextEncoder: { new (): TextEncoder };
interface TextDecoder { readonly encoding: string; decode(bytes?: any, options?: any): string }
declare const TextDecoder: { new (label?: string, options?: any): TextDecoder };
interface Buffer extends Uint8Array { [name: string]: any; toString(encoding?: string, start?: number, end?: number): string }
declare const Buffer: any;
interface AbortSignal { [name: string]: any; readonly aborted: boolean }
declare const AbortSignal: any;
interface AbortController { readonly signal: AbortSignal; abort(reason?: any): void }
declare const AbortController: { new (): AbortController };
interface Event { [name: string]: any }
declare const Event: any;
interface CustomEvent { [name: string]: any }
declare const CustomEvent: any;
interface EventTarget { [name: string]: any }
declare const EventTarget: any;
interface DOMException extends Error { readonly code: number }
declare const DOMException: { new (message?: string, name?: string): DOMException };
declare const crypto: any;
declare const performance: any;

declare module "assert";
declare module "assert/strict";
declare module "buffer";
declare module "crypto";
declare module "events";
declare module "fs";
declare module "fs/promises";
declare module "path";
declare module "path/posix";
declare module "perf_hooks";
declare module "process";
declare module "timers";
declare module "timers/promises";
declare module "url";
declare module "util";
declare module "util/types";
declare module "node:assert";
declare module "node:assert/strict";
declare module "node:buffer";
declare module "node:crypto";
declare module "node:events";
declare module "node:fs";
declare module "node:fs/promises";
declare module "node:path";
declare module "node:path/posix";
declare module "node:perf_hooks";
declare module "node:process";
declare module "node:timers";
declare module "node:timers/promises";
declare module "node:url";
declare module "node:util";
declare module "node:util/types";
