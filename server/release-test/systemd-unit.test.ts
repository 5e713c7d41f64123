import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { secretNames, settingNames } from '@patchbay/server/config/configuration'
import { describe, expect, test } from 'vitest'
import { serverCommand, serverEnvironment } from '../../scripts/patchbay.mjs'

/** The unit for systemd is valid, restricts the service, and names settings and options that exist. */

const file = 'deploy/systemd/patchbay.service'
const unit = readFileSync(file, 'utf8')
const systemdAnalyze = process.env['SYSTEMD_ANALYZE_PATH']

const readDirectives = (text: string, name: string): string[] =>
  [...text.matchAll(new RegExp(`^(?:# )?${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)

const listVariables = (text: string): string[] =>
  readDirectives(text, 'Environment').flatMap((value) => value.split(' ').map((entry) => entry.split('=')[0] ?? ''))

describe.skipIf(systemdAnalyze === undefined)('systemd-analyze', () => {
  test('accepts the unit without a warning', () => {
    const folder = mkdtempSync(join(tmpdir(), 'patchbay-unit-'))
    const copy = join(folder, 'patchbay.service')
    // The program must exist.
    writeFileSync(copy, unit.replace('/usr/bin/node', process.execPath))
    const { status, stdout, stderr } = spawnSync(systemdAnalyze ?? '', ['verify', copy], { encoding: 'utf8' })
    rmSync(folder, { recursive: true })
    expect([status, stdout, stderr]).toEqual([0, '', ''])
  })

  test('rates the exposure of the service below 1.5 of 10', () => {
    const args = ['security', '--offline=true', '--no-pager', '--threshold=15', file]
    expect(execFileSync(systemdAnalyze ?? '', args, { encoding: 'utf8' })).toContain('Overall exposure level')
  })
})

describe('the unit', () => {
  test('starts the server with the options and the environment of npm start', () => {
    const options = serverCommand('').slice(0, -1).join(' ')
    expect(readDirectives(unit, 'ExecStart')).toEqual([`/usr/bin/node ${options} /opt/patchbay/patchbay.mjs start`])
    const [environment] = readDirectives(unit, 'Environment')
    expect(environment).toBe(`MALLOC_ARENA_MAX=${serverEnvironment.MALLOC_ARENA_MAX} DATA_DIR=%S/patchbay`)
    expect(readDirectives(unit, 'StateDirectory')).toEqual(['patchbay'])
  })

  test('and its documentation name settings that exist, and read secrets from credentials', () => {
    const document = readFileSync('docs/how-to/run-standalone.md', 'utf8')
    const accepted = [...settingNames, ...secretNames.map((name) => `${name}_FILE`), ...Object.keys(serverEnvironment)]
    const variables = [unit, document].map(listVariables)
    expect(variables).toEqual([['MALLOC_ARENA_MAX', 'DATA_DIR', 'SMTP_URL_FILE'], ['SMTP_URL_FILE']])
    expect(variables.flat().filter((name) => !accepted.includes(name))).toEqual([])
    const addition = (text: string) =>
      text.match(/LoadCredential=(\S+):\S+\n(?:# )?Environment=SMTP_URL_FILE=%d\/(\S+)/)
    for (const text of [unit, document]) expect(addition(text)?.slice(1)).toEqual(['smtp-url', 'smtp-url'])
  })
})
