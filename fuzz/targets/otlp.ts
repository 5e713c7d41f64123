import { parseSpans } from '@patchbay/rules/traces/traces'
import { unownedRules } from '@patchbay/server/call-data/masking/masking-rules'
import { type DecodedExport, replyTo } from '@patchbay/server/call-data/traces/decode-export'
import { otlpLimits } from '@patchbay/server/call-data/traces/otlp-limits'
import { unpackedText } from '@patchbay/server/database/gzip-json'
import { assertRule, type FuzzTarget } from '../engine/target.ts'

/** Exports of traces at the port for OTLP. The first byte of an input chooses JSON or protobuf. */

const contentTypes = ['application/json', 'application/x-protobuf'] as const

/** A trace stores at least its resource with each of its parts, so the stored JSON can be longer than the export. */
const maxPartBytes = 4 * 1024 * 1024

const settings = {
  callAttributes: ['call_sid'],
  findRules: (traces: readonly unknown[]) => Promise.resolve(traces.map(() => unownedRules)),
}

const checkParts = async ({ parts, rejected, message }: DecodedExport): Promise<void> => {
  assertRule(rejected >= 0 && (rejected === 0) === (message === ''), () => `${rejected} spans are rejected: ${message}`)
  let [spans, bytes] = [0, 0]
  for (const part of parts) {
    assertRule(/^[\da-f]{32}$/.test(part.trace_id), () => `${part.trace_id} is no trace id`)
    assertRule(part.bytes <= maxPartBytes, () => `a part has ${part.bytes} bytes`)
    spans += part.spans
    bytes += part.bytes
    const stored: unknown = JSON.parse((await unpackedText(part.content, maxPartBytes)).toString('utf8'))
    const read = parseSpans({ resourceSpans: stored })
    assertRule(read.length > 0 && read.length <= part.spans, () => `${read.length} of ${part.spans} spans are read`)
  }
  assertRule(spans + rejected <= otlpLimits.spans, () => `there are ${spans} spans`)
  assertRule(parts.length <= otlpLimits.spans, () => `there are ${parts.length} parts`)
  assertRule(bytes <= otlpLimits.storedBytes + maxPartBytes, () => `${bytes} bytes are stored`)
}

/** Encodes a field with a length. Short contents only need one byte for it. */
const field = (number: number, ...content: readonly (Uint8Array | string)[]): Buffer => {
  const bytes = Buffer.concat(content.map((part) => Buffer.from(part as string)))
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7]
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), bytes])
}

const fixed64 = (number: number, value: bigint): Buffer => {
  const bytes = Buffer.alloc(9)
  bytes.writeUInt8((number << 3) | 1)
  bytes.writeBigUInt64LE(value, 1)
  return bytes
}

const attribute = (key: string, value: Buffer): Buffer => Buffer.concat([field(1, key), field(2, value)])

const time = 1_700_000_000_000_000_000n

const createProtobuf = (): Buffer => {
  const list = field(5, field(1, field(1, 'x')), field(1, Buffer.from([0x10, 1])))
  const map = field(6, field(1, attribute('k', Buffer.from([0x18, 5]))))
  const span = Buffer.concat([
    field(1, Buffer.alloc(16, 7)),
    field(2, Buffer.alloc(8, 8)),
    field(4, Buffer.alloc(8, 9)),
    field(5, 'app'),
    Buffer.from([0x30, 2]),
    fixed64(7, time),
    fixed64(8, time + 5n),
    field(9, attribute('accountSid', field(1, 'a'))),
    field(9, attribute('list', list)),
    field(9, attribute('map', map)),
    field(9, attribute('double', Buffer.concat([Buffer.from([0x21]), Buffer.alloc(8, 64)]))),
    field(11, fixed64(1, time), field(2, 'event'), field(3, attribute('card', field(1, '4111 1111 1111 1111')))),
    field(15, field(2, 'failed'), Buffer.from([0x18, 2])),
  ])
  const scope = field(2, field(1, field(1, 'jambonz'), field(2, '1')), field(2, span))
  return field(1, field(1, field(1, attribute('service.name', field(1, 'x')))), scope)
}

const createJson = (): string => {
  const span = {
    traceId: '5b8efff798038103d269b633813fc60c',
    spanId: 'eee19b7ec3c1b174',
    name: 'sip:invite',
    kind: 2,
    startTimeUnixNano: String(time),
    endTimeUnixNano: Number(time),
    attributes: [
      { key: 'accountSid', value: { stringValue: 'a' } },
      { key: 'call_sid', value: { stringValue: 'c' } },
      { key: 'n', value: { intValue: '5' } },
      { key: 'd', value: { doubleValue: 1.5 } },
      { key: 'l', value: { arrayValue: { values: [{ boolValue: true }, { bytesValue: 'AAE=' }] } } },
      {
        key: 'm',
        value: { kvlistValue: { values: [{ key: 'k', value: { stringValue: '{"a":"4111111111111111"}' } }] } },
      },
    ],
    events: [{ timeUnixNano: '1', name: 'e', attributes: [{ key: 'k', value: { stringValue: 'v' } }] }],
    status: { code: 'STATUS_CODE_ERROR', message: 'failed' },
  }
  const base64 = { ...span, traceId: 'W47/95gDgQPSabYzgT/GDA==', spanId: '7uGbfsPBsXQ=' }
  const scopes = [{ scope: { name: 'jambonz' }, spans: [span, base64] }]
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'x' } }] }
  return JSON.stringify({
    resourceSpans: [{ resource, scopeSpans: scopes, instrumentationLibrarySpans: scopes }],
  })
}

export const target: FuzzTarget = {
  name: 'otlp',
  files: /\/call-data\/traces\/(?:decode-export|otlp|otlp-\w+|trace-parts|trace-response)\.ts$|\/traces\/traces\.ts$/,
  maxBytes: 65_536,
  // The maximum of stored traces is compressed one by one.
  maxCpuMs: 5000,
  maxRssMb: 800,
  tokens: [
    '"resourceSpans":[',
    '"scopeSpans":[',
    '"spans":[',
    '"attributes":[',
    '"events":[',
    '{"key":"',
    '"value":{',
    '"stringValue":"',
    '"arrayValue":{"values":[',
    '"kvlistValue":{"values":[',
    '"accountSid"',
    '"call_sid"',
    '"__proto__":',
    '[[[[',
    '{{',
    '}]}',
    '\\u0000',
    '\\ud800',
    '4111 1111 1111 1111',
    '\x0a\x00',
    '\x12\x00',
  ],
  createSeeds: () => [
    Buffer.from(`\0${createJson()}`),
    Buffer.from('\0{"resourceSpans":[{"scopeSpans":[{"spans":[{}]}]}]}'),
    Buffer.concat([Buffer.from([1]), createProtobuf()]),
    Buffer.concat([Buffer.from([1]), createProtobuf(), createProtobuf()]),
  ],
  async run(input) {
    const type = contentTypes[(input[0] ?? 0) % contentTypes.length] ?? contentTypes[0]
    const reply = await replyTo(input.subarray(1), type, settings)
    if ('decoded' in reply) return checkParts(reply.decoded)
    assertRule(reply.message !== '' && reply.message.length < 200, () => `the message is long: ${reply.message}`)
  },
}
