import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { postRepeatedly, type Scenario } from './scenario.ts'

/** Small OTLP exports that are expensive to decode or to store. */

/** Encodes a protobuf field of bytes. */
const field = (number: number, ...contents: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(contents)
  const length: number[] = []
  for (let rest = content.length; ; rest = Math.floor(rest / 128)) {
    length.push(rest < 128 ? rest : (rest % 128) + 128)
    if (rest < 128) break
  }
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length]), content])
}

const toExport = (...spans: readonly Buffer[]): Buffer => field(1, field(2, ...spans))

const protobuf = 'application/x-protobuf'
const json = 'application/json'

const scenario = (name: string, type: string, makeBodies: () => readonly (string | Buffer)[]): Scenario => ({
  name: `hostile OTLP: ${name}`,
  async prepare({ server }) {
    const bodies = makeBodies().map((body) => gzipSync(body))
    return postRepeatedly(`http://127.0.0.1:${server.otlpPort}/v1/traces`, type, bodies)
  },
})

/** 3.6 million empty spans in a body of 8 kB. */
const emptySpans = () => [toExport(Buffer.alloc(7 * 1024 * 1024, field(2)))]

/** 20 bodies of 10,000 traces with a span each. */
const manyTraces = () =>
  Array.from({ length: 20 }, () => {
    const spans = Array.from({ length: 10_000 }, () => ({
      traceId: randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      name: 'x',
      startTimeUnixNano: '1700000000000000000',
    }))
    return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
  })

const nested = (depth: number): Buffer => (depth === 0 ? Buffer.alloc(0) : field(5, field(1, nested(depth - 1))))

/** 20 bodies of 4,000 spans. The attribute of each nests values almost as deeply as the intake accepts. */
const deepAttributes = () =>
  Array.from({ length: 20 }, () => {
    const traceId = randomBytes(16)
    const attribute = field(9, field(1, Buffer.from('a')), field(2, nested(45)))
    const startTime = Buffer.concat([Buffer.from([7 * 8 + 1]), Buffer.alloc(8, 1)])
    const span = () => field(2, field(1, traceId), field(2, randomBytes(8)), startTime, attribute)
    return toExport(...Array.from({ length: 4000 }, span))
  })

export const otlpScenarios: readonly Scenario[] = [
  scenario('8 kB of empty spans', protobuf, emptySpans),
  scenario('10,000 traces per body', json, manyTraces),
  scenario('deep attributes', protobuf, deepAttributes),
]
