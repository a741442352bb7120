/** Types of the part of JavaScript's WebAssembly interface that the runtime uses; TypeScript ships them only with its browser library. */

/** A memory that threads share. */
export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
}

interface Interface {
  readonly Memory: new (limits: {
    readonly initial: number;
    readonly maximum: number;
    readonly shared: true;
  }) => SharedMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, Readonly<Record<string, SharedMemory>>>>,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
}

declare const WebAssembly: Interface;

export const { Memory, Module, Instance } = WebAssembly;
