import { setTimeout as pause } from 'node:timers/promises'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { cpuSeconds, type Filled, memory, printTable, quantile } from '../harness.ts'
import { isSuccess, type OtherTenant, type ProbeResult, startProbe } from '../probe.ts'
import { alertScenario } from './alerts.ts'
import { hepScenarios } from './hep.ts'
import { influxScenarios } from './influx.ts'
import { maskingScenario } from './masking.ts'
import { otlpScenarios } from './otlp.ts'
import { formatCounts, recordCredentials, type Scenario } from './scenario.ts'
import { speechScenarios } from './speech.ts'
import { storageScenarios } from './storage.ts'
import { traceReaderScenario } from './trace-readers.ts'

export const scenarios: readonly Scenario[] = [
  ...storageScenarios,
  ...speechScenarios,
  ...otlpScenarios,
  ...hepScenarios,
  ...influxScenarios,
  alertScenario,
  maskingScenario,
  traceReaderScenario,
]

const quietMs = 3000
const attackMs = 12_000

/** Limits that `--check` enforces. */
const maxP95Ms = 250
const maxMemoryMb = 400

interface Figures {
  /** 95th percentile of the other tenant's requests before the attack. */
  quietP95Ms: number
  p50Ms: number
  p95Ms: number
  maxMs: number
  /** 95th percentile of the other tenant's writes. */
  writeP95Ms: number
  healthP95Ms: number
  /** Number of failed requests of the other tenant. */
  failed: number
  peakMb: number
  cpuSeconds: number
}

export interface Measurement {
  name: string
  figures: Figures
  /** Unsuccessful responses to the other tenant, by status. */
  failures: string
  /** Observations of the attackers and their victims. */
  outcome: string
}

/** Measures another tenant's requests and the server's memory during an attack, on a server of its own. */
export const measure = async (scenario: Scenario, filled: Filled, other: OtherTenant): Promise<Measurement> => {
  const server = await filled.restart({
    DISABLE_RATE_LIMITS: '0',
    JAMBONES_TRUST_PROXY: '1',
    PRIVATE_NETWORKS: loopbackNetwork,
    JAMBONZ_RECORD_WS_USERNAME: recordCredentials.username,
    JAMBONZ_RECORD_WS_PASSWORD: recordCredentials.password,
  })
  const pids = [server.pid, ...(filled.databasePid === undefined ? [] : [filled.databasePid])]
  const cpu = () => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0)
  const { token, adminKey, provider } = filled
  const attack = await scenario.prepare({ server, token, adminKey, provider })
  const probe = startProbe(server.url, other)
  try {
    await pause(quietMs)
    const [begun, cpuBefore] = [Date.now(), cpu()]
    const outcome = await attack.run(AbortSignal.timeout(attackMs))
    const [ended, used] = [Date.now(), cpu() - cpuBefore]
    // Requests that were sent before the end of the attack still get their responses.
    await pause(1000)
    const during = probe.results.filter(({ at }) => at >= begun && at <= ended)
    const getTimes = (results: readonly ProbeResult[], isHealth: boolean) =>
      results.filter(({ name }) => (name === 'health') === isHealth).map(({ milliseconds }) => milliseconds)
    const [times, healthTimes] = [getTimes(during, false), getTimes(during, true)]
    const writeTimes = during.filter(({ name }) => name === 'write').map(({ milliseconds }) => milliseconds)
    const quiet = probe.results.filter(({ at }) => at < begun)
    const failed = during.filter((result) => !isSuccess(result))
    const failures = new Map<number, number>()
    for (const { status } of failed) failures.set(status, (failures.get(status) ?? 0) + 1)
    const figures = {
      quietP95Ms: quantile(getTimes(quiet, false), 0.95),
      p50Ms: quantile(times, 0.5),
      p95Ms: quantile(times, 0.95),
      maxMs: Math.max(...times),
      writeP95Ms: quantile(writeTimes, 0.95),
      healthP95Ms: quantile(healthTimes, 0.95),
      failed: failed.length,
      peakMb: memory(server.pid).peak,
      cpuSeconds: used,
    }
    return { name: scenario.name, figures, failures: formatCounts(failures), outcome }
  } finally {
    probe.stop()
    await attack.stop()
    await server.stop()
  }
}

/** Returns the medians of some rounds of a scenario, with the outcome of the last one. */
export const medianMeasurement = (rounds: readonly Measurement[]): Measurement => {
  const last = rounds.at(-1)
  if (last === undefined) throw new Error('There are no rounds.')
  const median = (name: keyof Figures) =>
    quantile(
      rounds.map(({ figures }) => figures[name]),
      0.5,
    )
  const figures = {
    quietP95Ms: median('quietP95Ms'),
    p50Ms: median('p50Ms'),
    p95Ms: median('p95Ms'),
    maxMs: median('maxMs'),
    writeP95Ms: median('writeP95Ms'),
    healthP95Ms: median('healthP95Ms'),
    failed: median('failed'),
    peakMb: median('peakMb'),
    cpuSeconds: median('cpuSeconds'),
  }
  return { ...last, figures }
}

export const printMeasurements = (measurements: readonly Measurement[]): void =>
  printTable([
    [
      'attack',
      'p95 before, ms',
      'p50, ms',
      'p95, ms',
      'max, ms',
      'writes p95, ms',
      '/health p95, ms',
      'failed',
      'peak, MB',
      'CPU, s',
      'attackers and victims',
    ],
    ...measurements.map(({ name, figures, outcome }) => [
      name,
      figures.quietP95Ms.toFixed(0),
      figures.p50Ms.toFixed(0),
      figures.p95Ms.toFixed(0),
      figures.maxMs.toFixed(0),
      figures.writeP95Ms.toFixed(0),
      figures.healthP95Ms.toFixed(0),
      String(figures.failed),
      figures.peakMb.toFixed(0),
      figures.cpuSeconds.toFixed(1),
      outcome,
    ]),
  ])

/** Returns a line for each measurement that is over a limit. */
export const violations = (measurements: readonly Measurement[]): string[] =>
  measurements.flatMap(({ name, figures: { p95Ms, healthP95Ms, peakMb } }) => [
    ...(Math.max(p95Ms, healthP95Ms) > maxP95Ms ? [`${name}: p95 is over ${maxP95Ms} ms`] : []),
    ...(peakMb > maxMemoryMb ? [`${name}: memory is over ${maxMemoryMb} MB`] : []),
  ])
