import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startRecording, tones } from '@patchbay/testkit/fakes/recorder'
import { builtServer, startServer } from '@patchbay/testkit/servers/server-process'
import { ask, cpuSeconds, filledServer, printTable, quantile, scaled } from './harness.ts'
import { isSuccess, startProbe } from './probe.ts'

/**
 * npm run bench:recordings: measures another tenant's responses while calls are recorded as MP3 in real time.
 * OTHER_SERVER is the folder (below `server/`) of another build with the same migrations, to compare with.
 */

const counts = [25, 50, 100].map((count) => scaled(count, 2))
const seconds = scaled(8)
/** Duration of an audio frame from the platform. */
const frameSeconds = 0.1

interface ProbeAccount {
  account: string
  key: string
}

const second = tones([440, 1000], 1)
const frameBytes = second.length * frameSeconds

const talk = async (url: string, account_sid: string): Promise<void> => {
  const call = await startRecording({ url: url.replace('http', 'ws'), account_sid })
  const began = performance.now()
  for (let frames = 0; frames * frameSeconds < seconds; frames += 1) {
    await call.say(second.subarray(0, frameBytes), frameBytes)
    await pause(Math.max(0, began + (frames + 1) * frameSeconds * 1000 - performance.now()))
  }
  await call.hangUp()
}

const row = async (
  name: string,
  folder: string | undefined,
  count: number,
  dataDir: string,
  { account, key }: ProbeAccount,
) => {
  const [flag = '', main = ''] = builtServer
  const server = await startServer({ DATA_DIR: dataDir }, [flag, folder ? join(folder, 'main.mjs') : main])
  const { results: probes, stop } = startProbe(server.url, { account, keys: [key] })
  try {
    await pause(scaled(1500))
    const quietFrom = Date.now()
    await pause(scaled(5000, 500))
    const begun = Date.now()
    const cpu = cpuSeconds(server.pid)
    await Promise.all(Array.from({ length: count }, () => talk(server.url, account)))
    const used = cpuSeconds(server.pid) - cpu
    const ended = Date.now()
    const times = (from: number, to: number) =>
      probes.filter(({ at }) => at >= from && at < to).map(({ milliseconds }) => milliseconds)
    const [quiet, during] = [times(quietFrom, begun), times(begun, ended)]
    const [before, meanwhile] = [quantile(quiet, 0.95), quantile(during, 0.95)]
    const failed = probes.filter((result) => !isSuccess(result)).length
    return [
      `${name}, ${count} calls`,
      before.toFixed(1),
      meanwhile.toFixed(1),
      (meanwhile / before).toFixed(1),
      Math.max(...during).toFixed(0),
      String(failed),
      ((used * 1000) / (ended - begun)).toFixed(2),
    ]
  } finally {
    stop()
    await server.stop()
  }
}

const filled = await filledServer('sqlite', ['--accounts', '2', '--calls', '200'])
try {
  const { server, token, busiest } = filled
  const { token: key } = await ask<{ token: string }>(server.url, token, '/ApiKeys', { account_sid: busiest })
  await server.stop()
  const other = process.env['OTHER_SERVER']
  const table: string[][] = []
  for (const count of counts)
    for (const [name, folder] of [...(other ? [['the other', other] as const] : []), ['this', undefined] as const])
      table.push(await row(name, folder, count, server.dataDir, { account: busiest, key }))
  printTable([['build', 'quiet p95, ms', 'p95, ms', 'ratio', 'max, ms', 'failed', 'cores'], ...table])
} finally {
  await filled.stop()
}
