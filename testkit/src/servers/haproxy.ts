import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { ensureProgram } from '../../../scripts/run/programs.mjs'
import { end, endWithUs } from './spawn-server.ts'

/** A dedicated HAProxy, the load balancer of installations with several processes or database nodes. */

export interface Haproxy {
  /** Returns the rows of `show stat`: the state of each server by backend and name, such as `patchbay/one`. */
  readStates(): Promise<Map<string, string>>
  /** Runs a command of HAProxy's runtime API, such as `set server patchbay/one state drain`. */
  command(line: string): Promise<void>
  stop(): Promise<void>
}

/** Path of the statistics below their port. */
const statisticsPath = '/statistics'
const readyWithinMs = 60_000

/**
 * Starts HAProxy with a configuration. Rejects with its messages if the configuration is wrong.
 *
 * @param statisticsPort port for the states of the servers
 */
export const startHaproxy = async (configuration: string, statisticsPort: number): Promise<Haproxy> => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-haproxy-'))
  const file = join(folder, 'haproxy.cfg')
  const socket = join(folder, 'admin')
  const statistics = [
    'global',
    `  stats socket ${socket} mode 600 level admin`,
    'frontend statistics',
    '  mode http',
    '  timeout client 10s',
    `  bind 127.0.0.1:${statisticsPort}`,
    '  stats enable',
    `  stats uri ${statisticsPath}`,
  ]
  writeFileSync(file, `${configuration}\n${statistics.join('\n')}\n`)
  const child = spawn(await ensureProgram('haproxy'), ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  endWithUs(child)
  let messages = ''
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    messages = (messages + more).slice(-8_000)
  })
  const readStates = async () => {
    const response = await fetch(`http://127.0.0.1:${statisticsPort}${statisticsPath};csv`)
    const [header = '', ...lines] = (await response.text()).trim().split('\n')
    const state = header.split(',').indexOf('status')
    return new Map(
      lines.map((line) => {
        const fields = line.split(',')
        return [`${fields[0]}/${fields[1]}`, fields[state] ?? '']
      }),
    )
  }
  const deadline = Date.now() + readyWithinMs
  while (!(await readStates().catch(() => undefined))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`HAProxy did not start: ${messages}`)
    await delay(20)
  }
  return {
    readStates,
    async command(line) {
      const answer = (await text(connect(socket).end(`${line}\n`))).trim()
      if (answer !== '') throw new Error(`HAProxy answered ${line} with ${answer}`)
    },
    async stop() {
      await end(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
