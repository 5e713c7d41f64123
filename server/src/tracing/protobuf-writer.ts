/** Encodes protobuf messages whose fields are known when the code is written. */

/** Bytes that are reserved for the length of a message, which is only known at its end. */
const lengthBytes = 4
/** The first seven bits of each reserved byte are used. */
const maxLength = 2 ** (7 * lengthBytes)
/** A character of UTF-16 has at most three bytes in UTF-8. */
const maxBytesPerCharacter = 3

const initialSize = 64 * 1024

const wireTypes = { varint: 0, fixed64: 1, lengthDelimited: 2, fixed32: 5 } as const

export class ProtobufWriter {
  #bytes = Buffer.allocUnsafe(initialSize)
  #length = 0

  /** Starts a message in a field of the current one. Returns its start, for `endMessage`. */
  beginMessage(field: number): number {
    this.#tag(field, wireTypes.lengthDelimited, lengthBytes)
    this.#length += lengthBytes
    return this.#length
  }

  /**
   * Ends a message. Its length has as many bytes as are reserved: protobuf permits longer encodings of a number than
   * needed, so that the message does not have to be moved.
   *
   * @throws RangeError if the message has 256 MiB or more
   */
  endMessage(start: number): void {
    const length = this.#length - start
    if (length >= maxLength) throw new RangeError('a message is too long')
    for (let index = 0; index < lengthBytes; index += 1) {
      const isLast = index === lengthBytes - 1
      this.#bytes[start - lengthBytes + index] = ((length >>> (7 * index)) & 0x7f) | (isLast ? 0 : 0x80)
    }
  }

  string(field: number, text: string): void {
    const maxBytes = text.length * maxBytesPerCharacter
    this.#tag(field, wireTypes.lengthDelimited, lengthBytes + maxBytes)
    if (maxBytes < 0x80) {
      const written = this.#bytes.write(text, this.#length + 1)
      this.#append(written)
      this.#length += written
      return
    }
    this.#length += lengthBytes
    const start = this.#length
    this.#length += this.#bytes.write(text, start)
    this.endMessage(start)
  }

  /** Writes a field of type bytes. */
  hexadecimal(field: number, text: string): void {
    const length = text.length >>> 1
    this.#tag(field, wireTypes.lengthDelimited, 1 + length)
    this.#bytes[this.#length] = length
    this.#length += 1 + this.#bytes.write(text, this.#length + 1, 'hex')
  }

  /** Writes a safe integer to a field of type int32, int64, uint32, bool, or of an enumeration. */
  integer(field: number, value: number): void {
    this.#tag(field, wireTypes.varint, 10)
    if (value >= 0 && value < 0x80) {
      this.#bytes[this.#length] = value
      this.#length += 1
      return
    }
    let rest = BigInt.asUintN(64, BigInt(value))
    for (; rest >= 0x80n; rest >>= 7n) this.#append(Number(rest & 0x7fn) | 0x80)
    this.#append(Number(rest))
  }

  double(field: number, value: number): void {
    this.#tag(field, wireTypes.fixed64, 8)
    this.#length = this.#bytes.writeDoubleLE(value, this.#length)
  }

  fixed64(field: number, value: bigint): void {
    this.#tag(field, wireTypes.fixed64, 8)
    this.#length = this.#bytes.writeBigUInt64LE(value, this.#length)
  }

  fixed32(field: number, value: number): void {
    this.#tag(field, wireTypes.fixed32, 4)
    this.#length = this.#bytes.writeUInt32LE(value, this.#length)
  }

  /** Returns a copy of the bytes, which needs less memory than the writer. */
  finish(): Uint8Array {
    return Buffer.copyBytesFrom(this.#bytes, 0, this.#length)
  }

  #append(byte: number): void {
    this.#bytes[this.#length] = byte
    this.#length += 1
  }

  /** Writes the tag of a field, and makes room for a value of up to `valueBytes`. */
  #tag(field: number, wireType: number, valueBytes: number): void {
    this.#reserve(2 + valueBytes)
    const tag = field * 8 + wireType
    if (tag >= 0x80) this.#append((tag & 0x7f) | 0x80)
    this.#append(tag >= 0x80 ? tag >>> 7 : tag)
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
