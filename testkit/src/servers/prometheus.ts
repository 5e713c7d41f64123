import { execFile, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureProgram } from '../../../scripts/run/programs.mjs'
import { endWithUs, ready, startInFolder } from './spawn-server.ts'

/** A dedicated Prometheus on 127.0.0.1, and its tool that checks metrics and rules. */

export interface PrometheusServer {
  /** Returns the current value of each time series that the PromQL expression selects. */
  query(expression: string): Promise<{ labels: Readonly<Record<string, string>>; value: number }[]>
  /** Stops the server and removes its folder. */
  stop(): Promise<void>
}

interface QueryResponse {
  status: string
  data: { result: { metric: Record<string, string>; value: [number, string] }[] }
}

const toConfiguration = (target: string, rulesFile: string): string => `global:
  scrape_interval: 1s
  scrape_timeout: 1s
  evaluation_interval: 1s
rule_files: ['${rulesFile}']
scrape_configs:
  - job_name: patchbay
    static_configs:
      - targets: ['${target}']
`

/**
 * Starts a Prometheus that scrapes a target every second.
 * @param target host:port of the metrics
 * @param rulesFile absolute path of a file with alert rules
 */
export const startPrometheus = async (target: string, rulesFile: string): Promise<PrometheusServer> => {
  const program = await ensureProgram('prometheus')
  const { port, stop } = await startInFolder('prometheus', async (folder, free) => {
    const configuration = join(folder, 'prometheus.yaml')
    await writeFile(configuration, toConfiguration(target, rulesFile))
    const args = [
      `--config.file=${configuration}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${free}`,
    ]
    const server = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    endWithUs(server)
    await ready(server, server.stderr, { name: 'Prometheus', text: 'Server is ready to receive web requests' })
    return server
  })
  return {
    async query(expression) {
      const parameters = new URLSearchParams({ query: expression })
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?${parameters.toString()}`)
      const text = await response.text()
      if (!response.ok) throw new Error(`Prometheus answered ${response.status} ${text}`)
      const { data } = JSON.parse(text) as QueryResponse
      return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }))
    },
    stop,
  }
}

/**
 * Runs promtool and returns its output. Rejects with the output if it reports a problem.
 * @param input standard input
 */
export const runPromtool = async (args: readonly string[], input = ''): Promise<string> => {
  const program = await ensureProgram('promtool')
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, (error, stdout, stderr) => {
      if (error) reject(new Error(`promtool ${args.join(' ')}: ${stdout}${stderr}`))
      else resolve(stdout + stderr)
    })
    child.stdin?.end(input)
  })
}
