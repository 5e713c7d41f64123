import {
  type FieldValue,
  isRejected,
  type Point,
  parseLineProtocol,
  type RejectedLine,
} from '@patchbay/server/call-data/ingest/line-protocol'
import { storedMeasurements } from '@patchbay/server/call-data/ingest/store-points'
import { assertEqual, assertLineNumbers, assertRule, type FuzzTarget } from '../engine/target.ts'

/** Bodies of `POST /write` at the port for InfluxDB line protocol: calls and alerts. */

const now = 1_700_000_000_000_000_000n

const parse = (body: string): (Point | RejectedLine)[] =>
  [...parseLineProtocol(body, { precision: 'n', now })].filter((one) => one !== undefined)

const escapeName = (name: string): string => name.replace(/[ ,=]/g, String.raw`\$&`)

const formatField = (value: FieldValue): string =>
  typeof value === 'string' ? `"${value.replace(/["\\]/g, String.raw`\$&`)}"` : String(value)

/** Returns the point as a line, or undefined for a backslash before a separator, which the format cannot express. */
const formatPoint = ({ measurement, tags, fields, time }: Point): string | undefined => {
  const names = [measurement, ...tags.keys(), ...tags.values(), ...fields.keys()]
  if (names.some((name) => /\\(?:[ ,=\\]|$)/.test(name)) || measurement.startsWith('#')) return undefined
  const series = [
    measurement.replace(/[ ,]/g, String.raw`\$&`),
    ...[...tags].map(([key, value]) => `${escapeName(key)}=${escapeName(value)}`),
  ]
  const values = [...fields].map(([key, value]) => `${escapeName(key)}=${formatField(value)}`)
  return `${series.join(',')} ${values.join(',')} ${time}`
}

const withoutLine = ({ measurement, tags, fields, time }: Point) => ({
  measurement,
  tags: [...tags],
  fields: [...fields],
  time,
})

const checkPoint = (point: Point): void => {
  const line = formatPoint(point)
  if (line === undefined || line.length > 65_536 || line.trimStart() !== line) return
  const [again, ...more] = parse(line)
  assertRule(again !== undefined && !isRejected(again) && more.length === 0, () => `${line} is not one point`)
  assertEqual(withoutLine(again), withoutLine(point), 'a point and what it is written as')
}

export const target: FuzzTarget = {
  name: 'line-protocol',
  files: /\/(?:line-protocol|parse-call-point)\.ts$/,
  maxBytes: 65_536,
  maxCpuMs: 500,
  maxRssMb: 600,
  tokens: ['cdrs', 'alerts', 'account_sid=', ',', '="', '\\"', '\\ ', '\\=', '\\,', 'i ', 'u ', 'true', 'f', '#', '\n'],
  createSeeds: () =>
    [
      'cdrs,account_sid=9351f46a-678c-43f5-b8a6-d4eb58d131af,host=10.0.0.1,trunk=a from="1508",to="1617",answered=true,duration=45,sip_status=200i 1700000000000000000\n',
      'cdrs,account_sid=a answered_at=1700000000000,terminated_at=1700000045000,cost=0.5,x=3u\ncdrs,account_sid=b answered=f -5',
      'alerts,account_sid=a,alert_type=webhook-failure message="two\nlines, \\"quoted\\" \\\\",url="http://x" 17\r\n# comment\n\n',
      'my\\ m\\,x,my\\ tag=a\\,b\\ c\\=d,t=日本 f\\ 1="grüße",g=-1.5e3,h=T 17',
      'm,trunk="odd f=1 1\nm f=2 2',
    ].map((body) => Buffer.from(body)),
  run(input) {
    const body = input.toString('utf8')
    const all = parse(body)
    assertLineNumbers(all, body)
    for (const one of all) {
      if (isRejected(one))
        assertRule(one.text.length <= 120 && one.reason.length <= 200, () => `a reason is long: ${one.reason}`)
      else checkPoint(one)
    }
    for (const { convert } of storedMeasurements) {
      const { rejected } = convert(all)
      assertRule(rejected.length <= all.length, () => 'more lines are rejected than there are')
    }
  },
}
