import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'

/**
 * A file with the input that runs now and the number of inputs before it. It survives whatever the input does to the
 * process: an endless loop, the memory limit of V8, or a defect of a WebAssembly module.
 */

const numberBytes = 8
const lengthBytes = 4
const headBytes = numberBytes + lengthBytes

export interface CurrentInputWriter {
  write(input: Buffer): void
  close(): void
}

/** @param maxBytes length of the longest input */
export const createCurrentInputWriter = (path: string, maxBytes: number): CurrentInputWriter => {
  const file = openSync(path, 'w')
  const buffer = Buffer.alloc(headBytes + maxBytes)
  let inputs = 0
  return {
    write(input) {
      inputs += 1
      buffer.writeDoubleLE(inputs, 0)
      buffer.writeUInt32LE(input.length, numberBytes)
      input.copy(buffer, headBytes)
      writeSync(file, buffer, 0, headBytes + input.length, 0)
    },
    close: () => closeSync(file),
  }
}

/** Returns a name for the file of an input. Equal inputs have the same name. */
export const getInputName = (input: Buffer): string => createHash('sha256').update(input).digest('hex').slice(0, 16)

/** Returns undefined if no input has run yet. */
export const readCurrentInput = (path: string): { inputs: number; input: Buffer } | undefined => {
  const content = readFileSync(path)
  if (content.length < headBytes) return undefined
  const length = content.readUInt32LE(numberBytes)
  return { inputs: content.readDoubleLE(0), input: content.subarray(headBytes, headBytes + length) }
}
