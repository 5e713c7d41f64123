import { once } from 'node:events'
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { freePort } from '@patchbay/testkit/servers/ports'
import { filledServer, generateLoad, parseEngines, printTable, quantile, scaled } from './harness.ts'

/**
 * npm run bench:metrics [sqlite] [mariadb]: measures the CPU time that metrics add to a request. Two processes with
 * equal databases, one of them with METRICS_PORT, get the same load in turns.
 * npm run bench:metrics -- --tracing SAMPLER [sqlite] [mariadb]: the same for the export of traces, with a sampler such
 * as parentbased_always_on. parentbased_traceidratio is the default of Patchbay.
 * The result is the median of the ratios of neighboring rounds, so that other load on the machine affects both sides.
 */

const rounds = scaled(15)
const roundSeconds = 2
const demo = ['--accounts', '20', '--calls', String(scaled(20_000, 500)), '--busiest', '100', '--days', '30']
const scrapeIntervalMs = 15_000

const { values: options, positionals: engines } = parseArgs({
  allowPositionals: true,
  options: { tracing: { type: 'string' } },
})

/** Accepts exports of traces and discards them. */
const startReceiver = async (): Promise<{ url: string; close: () => void }> => {
  const port = await freePort()
  const server = createServer((request, response) => request.resume().on('end', () => response.end()))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

/** Reads the metrics like Prometheus does. */
const startScrapes = async (): Promise<{ port: number; close: () => void }> => {
  const port = await freePort()
  const timer = setInterval(() => {
    fetch(`http://127.0.0.1:${port}/metrics`)
      .then((response) => response.text())
      .catch((error: unknown) => process.stderr.write(`${String(error)}\n`))
  }, scrapeIntervalMs)
  return { port, close: () => clearInterval(timer) }
}

/** Starts the program that observes the server. Returns the settings of the observed server. */
const startObserver = async () => {
  if (options.tracing !== undefined) {
    const { url, close } = await startReceiver()
    return { settings: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER: options.tracing }, close }
  }
  const { port, close } = await startScrapes()
  return { settings: { METRICS_PORT: String(port) }, close }
}

for (const engine of parseEngines(engines)) {
  const plain = await filledServer(engine, demo)
  const observed = await filledServer(engine, demo)
  // Restarts both servers, because the first process of a database has also created it.
  await Promise.all([plain.server.stop(), observed.server.stop()])
  const observer = await startObserver()
  const plainServer = await plain.restart()
  const observedServer = await observed.restart(observer.settings)
  try {
    const loads = [
      { name: 'accounts, a list of 20', getPath: () => '/Accounts' },
      { name: 'one account', getPath: (account: string) => `/Accounts/${account}` },
      {
        name: 'recent calls, one day',
        getPath: (account: string) => `/Accounts/${account}/RecentCalls?count=25&page=1&days=1`,
      },
      {
        name: 'change an account',
        getPath: (account: string) => `/Accounts/${account}`,
        method: 'PUT' as const,
        body: { device_to_call_ratio: 0 },
      },
    ]
    const targets = [
      ['off', plain, plainServer],
      ['on', observed, observedServer],
    ] as const
    const table: string[][] = []
    for (const { name, getPath, ...load } of loads) {
      const cpu = { off: [] as number[], on: [] as number[] }
      for (let round = 0; round < rounds; round += 1)
        // The order changes, because the first of two rounds can be slower.
        for (const [key, { busiest, token }, { url, pid }] of round % 2 === 0 ? targets : targets.toReversed()) {
          const target = { url: `${url}/v1${getPath(busiest)}`, token }
          cpu[key].push((await generateLoad({ ...load, ...target, duration: roundSeconds }, [pid])).cpu)
        }
      const [off, on] = [quantile(cpu.off, 0.5), quantile(cpu.on, 0.5)]
      const ratio = quantile(
        cpu.on.map((value, round) => value / (cpu.off[round] ?? value)),
        0.5,
      )
      table.push([name, off.toFixed(0), on.toFixed(0), `${((ratio - 1) * 100).toFixed(1)} %`])
    }
    process.stdout.write(`\n${engine}\n\n`)
    printTable([['request', 'CPU µs, off', 'CPU µs, on', 'added'], ...table])
  } finally {
    observer.close()
    await Promise.all([plainServer.stop(), observedServer.stop()])
    await Promise.all([plain.stop(), observed.stop()])
  }
}
