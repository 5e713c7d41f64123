import { ask, type Filled, filledServer, parseEngines, printTable, quantile, scaled } from './harness.ts'

/**
 * npm run bench:numbers [sqlite] [mariadb]: routes and imports phone numbers of a provider that has 100,000 of them,
 * over HTTP, with sequential requests. Compares with the platform's API, which needs one request per number.
 */

const count = Number(process.env['NUMBERS'] ?? scaled(100_000, 500))
const routed = scaled(1000, 20)
const imported = scaled(10_000, 400)
/** Rows per import request, as in the console. */
const batch = 400
/** Number of single requests from which the average cost is derived. */
const samples = scaled(200, 5)

interface Numbered {
  phone_number_sid: string
  account_sid: string
  application_sid: string | null
  voip_carrier_sid: string
}

interface Page {
  total: number
  data: Numbered[]
}

const milliseconds = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now()
  await work()
  return performance.now() - started
}

const send = async ({ server, token }: Filled, method: string, path: string, body: object): Promise<void> => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const answer = await fetch(`${server.url}/v1${path}`, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}

const measureTimes = async (runs: number, work: (run: number) => Promise<unknown>): Promise<number[]> => {
  const times: number[] = []
  for (let run = 0; run < runs; run += 1) times.push(await milliseconds(() => work(run)))
  return times
}

const measureRouting = async (filled: Filled): Promise<string[]> => {
  const { server, token } = filled
  const { data } = await ask<Page>(server.url, token, '/patchbay/phone-numbers?page=1&page_size=5000')
  const owner = data.find(({ application_sid }) => application_sid !== null)
  const application_sid = owner?.application_sid ?? null
  const path = `/patchbay/phone-numbers?page=1&page_size=${routed}&account_sid=${owner?.account_sid ?? ''}`
  const { data: those } = await ask<Page>(server.url, token, path)
  const whole = those.map(({ phone_number_sid }) => phone_number_sid)
  // The application alternates, so that each request changes something.
  const bulkTimes = await measureTimes(10, (turn) =>
    send(filled, 'POST', '/patchbay/phone-numbers/routing', {
      application_sid: turn % 2 === 0 ? null : application_sid,
      phone_number_sids: whole,
    }),
  )
  const each = await measureTimes(Math.min(samples, whole.length), (turn) =>
    send(filled, 'PUT', `/PhoneNumbers/${whole[turn] ?? ''}`, {
      application_sid: turn % 2 === 0 ? null : application_sid,
    }),
  )
  const together = quantile(bulkTimes, 0.5)
  const apart = quantile(each, 0.5) * whole.length
  return [
    `${whole.length} given an application`,
    together.toFixed(0),
    quantile(bulkTimes, 0.95).toFixed(0),
    apart.toFixed(0),
    (together / apart).toFixed(3),
  ]
}

const measureImport = async (filled: Filled): Promise<string[][]> => {
  const { server, token } = filled
  const { data } = await ask<Page>(server.url, token, '/patchbay/phone-numbers?page=1&page_size=1')
  const [{ account_sid, voip_carrier_sid } = { account_sid: '', voip_carrier_sid: '' }] = data
  const rows = Array.from({ length: imported }, (_, nth) => ({
    line: nth + 2,
    number: `77${String(nth).padStart(9, '0')}`,
    carrier: voip_carrier_sid,
    account: account_sid,
  }))
  const batches = Array.from({ length: imported / batch }, (_, nth) => rows.slice(nth * batch, (nth + 1) * batch))
  const bring = (dry_run: boolean) =>
    measureTimes(batches.length, (nth) =>
      send(filled, 'POST', '/patchbay/phone-numbers/import', { dry_run, rows: batches[nth] ?? [] }),
    )
  const each = await measureTimes(samples, (nth) =>
    send(filled, 'POST', '/PhoneNumbers', { number: `88${nth}`, account_sid, voip_carrier_sid }),
  )
  const apart = quantile(each, 0.5) * imported
  const line = (name: string, times: readonly number[]) => {
    const sum = times.reduce((one, other) => one + other, 0)
    return [name, sum.toFixed(0), quantile(times, 0.95).toFixed(0), apart.toFixed(0), (sum / apart).toFixed(3)]
  }
  return [
    line('10,000 rows checked', await bring(true)),
    line('10,000 rows imported', await bring(false)),
    line('the same again: nothing to do', await bring(false)),
  ]
}

for (const engine of parseEngines(process.argv.slice(2))) {
  const filled = await filledServer(engine, ['--accounts', '20', '--calls', '0', '--numbers', String(count)])
  try {
    process.stdout.write(`\n${engine}, ${count} phone numbers\n\n`)
    printTable([
      ['many', 'ms', 'p95 of a request', 'one by one, ms', 'of one by one'],
      await measureRouting(filled),
      ...(await measureImport(filled)),
    ])
  } finally {
    await filled.stop()
  }
}
