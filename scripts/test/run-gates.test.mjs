import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'gates-'))
afterAll(() => rmSync(folder, { recursive: true }))

const module = pathToFileURL(join(import.meta.dirname, 'run-gates.mjs'))

/** Starts gates that run scripts one after another, and prints the results. */
const startGates = (...scripts) => {
  const steps = scripts.map((text, position) => {
    const file = join(folder, `${position}.mjs`)
    writeFileSync(file, text)
    return [{ gate: `gate ${position}`, tool: [file] }]
  })
  const program = `
    import { runGates, stopCommandsOnSignals } from ${JSON.stringify(module)}
    stopCommandsOnSignals()
    console.log(JSON.stringify(await runGates(${JSON.stringify(steps)}, {}, () => ({}))))`
  return spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] })
}

test('a stopped run ends the current gate, and runs no later one', async () => {
  const child = startGates("console.log('waiting'); setInterval(() => {}, 1000)", "console.log('a later gate runs')")
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
    if (output.includes('waiting') && !child.killed) child.kill('SIGINT')
  })
  await once(child, 'close')
  expect(output).not.toContain('a later gate runs')
  expect(JSON.parse(output.trim().split('\n').at(-1))).toMatchObject([
    { gate: 'gate 0', passed: false },
    { gate: 'gate 1', passed: false, note: 'because the run was stopped' },
  ])
})
