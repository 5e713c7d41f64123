import { execFile, spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createProgram } from '@patchbay/server/cli/program'
import { readConfiguration, secretNames, settingNames } from '@patchbay/server/config/configuration'
import {
  type Command,
  listCommands,
  listDocuments,
  parseBlocks,
  readDocument,
  repositoryRoot,
} from '@patchbay/testkit/docs/documentation'
import { expect, test } from 'vitest'
import { scripts } from '../../package.json' with { type: 'json' }
import { serverCommand, serverEnvironment } from '../../scripts/patchbay.mjs'
import { isVersion } from '../../scripts/release/version.mjs'
import { nodeAskedFor } from '../../scripts/run/ensure-node.mjs'
import { ensureProgram } from '../../scripts/run/programs.mjs'
import { selectSteps } from '../../scripts/test/gates.mjs'
import { listTestFiles, selectFiles } from '../../scripts/test/select-test-files.mjs'
import { readArguments } from '../../scripts/test.mjs'
import { checkDocker, checkKubectl } from './container-commands.ts'

/**
 * Checks the commands that `documentation.test.ts` does not run: programs, scripts, and files exist, and accept the
 * documented arguments and variables. Commands that change nothing are run.
 */

/** Commands that other tests run, because they need a server, or would change this checkout. */
const runElsewhere: Readonly<Record<string, string>> = {
  'curl -sI https://console.example.com/health': 'server/process-test/reverse-proxy.test.ts',
  'git pull': 'e2e/fresh-install.e2e.ts',
  'node patchbay.mjs': 'server/release-test/archive.test.ts',
  // `npm start` in a fresh clone runs it.
  'npm ci': 'e2e/fresh-install.e2e.ts',
}

type Arguments = readonly string[]

const resolve = (path: string): string => join(repositoryRoot, path)
const isFile = (path: string): boolean => existsSync(resolve(path))
const readSources = (pattern: string): string =>
  globSync(pattern, { cwd: repositoryRoot })
    .map((file) => readFileSync(resolve(file), 'utf8'))
    .join('\n')

const run = async (program: string, args: Arguments): Promise<string> =>
  (await promisify(execFile)(program, args, { cwd: repositoryRoot })).stdout

const runTool = (...args: Arguments): Promise<string> => run(process.execPath, ['scripts/run.mjs', ...args])

/** Benchmarks declare options and engines in their file. Other words select attacks by a part of their name. */
const checkBenchmark = (file: string, args: Arguments): void => {
  const source = readSources(file)
  for (const [at, word] of args.entries()) {
    const isValue = at > 0 && args[at - 1]?.startsWith('--')
    if (word.startsWith('--')) expect(source).toMatch(new RegExp(`\\b${word.slice(2)}: \\{ type: '`))
    else if (['sqlite', 'mariadb', 'clickhouse'].includes(word)) expect(source).toContain('parseEngines(')
    else if (!isValue) expect(source + readSources('bench/hostile/*.ts')).toMatch(new RegExp(`['\`].*\\b${word}\\b`))
  }
}

/** The options are declared, and the other words are targets. Their values are not checked. */
const checkFuzz = (args: Arguments): void => {
  const source = readSources('fuzz/main.ts')
  for (const [at, word] of args.entries())
    if (word.startsWith('--')) expect(source).toContain(`${word.slice(2)}: { type: '`)
    else if (args[at - 1]?.startsWith('--') !== true) expect(isFile(`fuzz/targets/${word}.ts`)).toBe(true)
}

/** The program accepts the command and its options. Arguments are not checked, because they can be names of files. */
const checkPatchbay = async ([name = '', ...args]: Arguments): Promise<void> => {
  const command = (await createProgram()).commands.find((each) => each.name() === name)
  expect(command?.parseOptions([...args]).unknown).toEqual([])
}

/** The npm scripts that accept arguments, except benchmarks. Each check rejects unknown arguments. */
const argumentChecks: Readonly<Record<string, (args: Arguments) => unknown>> = {
  'admin:password': (args) => checkPatchbay(['reset-password', ...args]),
  demo: (args) => checkPatchbay(['demo', ...args]),
  e2e: (args) => runTool('playwright', 'test', '-c', 'e2e/playwright.config.ts', '--list', ...args),
  fuzz: checkFuzz,
  release: (args) => expect(args).toEqual(['--allow-dirty']),
  'release:version': ([version = '', ...others]) => expect([isVersion(version), others]).toEqual([true, []]),
  visual: (args) => expect(args).toEqual(['--approve']),
  screenshots: (args) => expect(args.filter((name) => !isFile(`docs/images/${name}.png`))).toEqual([]),
  test: (args) => {
    const { names, ...gates } = readArguments(args)
    return names.length > 0
      ? selectFiles(names, listTestFiles(repositoryRoot))
      : selectSteps({ only: undefined, from: undefined, ...gates })
  },
  texts: (args) => expect(args.filter((folder) => !isFile(folder))).toEqual([]),
}

const checkNpm = async ([command = '', ...rest]: Arguments): Promise<void> => {
  const [name = '', separator, ...all] = command === 'run' ? rest : [command, ...rest]
  expect(scripts).toHaveProperty([name])
  expect(separator ?? '--').toBe('--')
  const [, benchmark] = /^node scripts\/bench\.mjs (.+)$/.exec(scripts[name as keyof typeof scripts]) ?? []
  if (benchmark !== undefined) expect(isFile(`bench/${benchmark}.ts`)).toBe(true)
  const args: Arguments = nodeAskedFor(all).others
  if (args.length === 0) return
  if (benchmark !== undefined) return checkBenchmark(`bench/${benchmark}.ts`, args)
  expect(argumentChecks).toHaveProperty([name])
  await argumentChecks[name]?.(args)
}

const checkNode = async (args: Arguments): Promise<void> => {
  const [file = '', tool, action, ...selection] = args
  if (file === '--version') return
  if (file.startsWith('--'))
    return expect(args.map((word) => word.replace(/^server/, resolve('server')))).toEqual(serverCommand(repositoryRoot))
  expect(isFile(file)).toBe(true)
  if (tool === undefined) return
  // Builds a release, which takes too long here.
  if (file === 'scripts/upgrade-fixtures.mjs') return expect(args).toEqual([file, 'VERSION'])
  if (file === 'server/dist/main.mjs') return checkPatchbay(args.slice(1))
  if (file === 'scripts/release/normalize-image.mjs') return expect(args).toEqual([file, 'FOLDER'])
  expect([file, tool, action]).toEqual(['scripts/run.mjs', 'vitest', 'run'])
  expect(await runTool('vitest', 'list', ...selection)).not.toBe('')
}

const checkGit = async ([action, ...args]: Arguments): Promise<void> => {
  if (action === 'grep') return expect(await run('git', ['grep', ...args])).not.toBe('')
  // The commits that it skips must exist, or Git reports an error.
  const ignored = ['-c', 'blame.ignoreRevsFile=.git-blame-ignore-revs']
  if (action === 'blame') return expect(await run('git', [...ignored, 'blame', '-L1,1', 'README.md'])).not.toBe('')
  if (action === 'archive') return expect(await run('git', ['archive', '--list'])).toContain('tar')
  if (action === 'tag' || action === 'push') return expect(isVersion(args.at(-1)?.replace(/^v/, '') ?? '')).toBe(true)
  expect(action).toBe('config')
  expect(isFile(args.at(-1) ?? '')).toBe(true)
}

/** Returns a value for the `…` of a document. */
const fillIn = (value: string): string =>
  value.replace('://…', '://user:password@host/database').replace('…', 'a'.repeat(32))

const secretFile = /(?:SECRET|SECRET_ACCESS_KEY|PASSPHRASE|PASSWORD)_FILE$/

/** The server accepts the settings and their values. */
const checkSettings = (settings: Readonly<Record<string, string>>): void => {
  // The files of secrets do not exist here, so passwords and keys get a value.
  const values = Object.entries(settings).flatMap(([name, value]) => {
    if (settingNames.includes(name)) return [[name, fillIn(value)]]
    return secretFile.test(name) ? [[name.replace(/_FILE$/, ''), fillIn('…')]] : []
  })
  const all = { DATA_DIR: join(tmpdir(), 'patchbay-documented'), ...Object.fromEntries(values) }
  const accepted = new Set([...settingNames, ...secretNames.map((name) => `${name}_FILE`)])
  expect(Object.keys(settings).filter((name) => !accepted.has(name))).toEqual([])
  expect(() => readConfiguration(all)).not.toThrow()
}

const checkVariables = ({ text, variables }: Command): void => {
  if (/\b(?:npm start|npm run demo|patchbay [a-z-]+)\b/.test(text)) return checkSettings(variables)
  const sources = readSources('{bench,e2e}/*.ts')
  const compose = readSources('deploy/compose/*.yaml')
  const isRead = (name: string) =>
    name in serverEnvironment || sources.includes(`process.env['${name}']`) || compose.includes(`\${${name}:`)
  expect(Object.keys(variables).filter((name) => !isRead(name))).toEqual([])
}

/** Commands that verify a published release name files, the image, and the workflow as `release.yml` publishes them. */
const checkVerification = (args: Arguments): void => {
  const workflow = readFileSync(resolve('.github/workflows/release.yml'), 'utf8')
  const [identity] = args.flatMap((word, at) => (args[at - 1] === '--certificate-identity' ? [word] : []))
  if (identity !== undefined)
    expect(identity).toMatch(/^https:\/\/github\.com\/OWNER\/patchbay\/\.github\/workflows\/release\.yml@refs\/tags\/v/)
  const files = args.filter((word) => word.startsWith('SHA256SUMS'))
  expect(files.filter((file) => !workflow.includes(file))).toEqual([])
}

/** Checks that the program has the long options, by its help. */
const checkOptions = (program: string, args: Arguments): void => {
  const { stdout, stderr } = spawnSync(program, ['--help'], { encoding: 'utf8' })
  for (const option of args.filter((arg) => arg.startsWith('--'))) expect(stdout + stderr).toContain(option)
}

const checks: Readonly<Record<string, (args: Arguments) => unknown>> = {
  // The test of backups runs both commands.
  age: async (args) => checkOptions(await ensureProgram('age'), args),
  tar: (args) => checkOptions('tar', args),
  cosign: checkVerification,
  gh: checkVerification,
  sha256sum: checkVerification,
  docker: (args) => checkDocker(args, { settings: checkSettings, patchbay: checkPatchbay }),
  export: (args) => checkSettings(Object.fromEntries(args.map((assignment) => assignment.split('=')))),
  git: checkGit,
  kubectl: checkKubectl,
  node: checkNode,
  npm: checkNpm,
  npx: ([name, ...args]) => {
    expect(name).toBe('patchbay')
    return checkPatchbay(args)
  },
  patchbay: checkPatchbay,
  // The unit tests run the scripts of `deploy/`.
  sh: ([file = '']) => expect(isFile(file)).toBe(true),
  ss: (args) => expect(args).toEqual(['-ltun']),
  systemctl: (args) => expect(isFile(`deploy/systemd/${args.at(-1)}.service`)).toBe(true),
}

const allCommands = listDocuments().flatMap(listCommands)
const commandsByText = new Map(allCommands.map((command) => [command.text, command]))
const checked = [...commandsByText.values()].filter(({ text }) => !(text in runElsewhere))

test.each(checked.map((command) => [command.document, command.text, command] as const))(
  '%s: %s',
  async (_document, _text, command) => {
    const [program = '', ...args] = command.argv
    expect(checks).toHaveProperty([program])
    await checks[program]?.(args)
    checkVariables(command)
  },
)

test('benchmarks can run the server from its source, without a bundler', async () => {
  const script = "await import('./server/src/app/app.ts')"
  expect(await run(process.execPath, ['--input-type=module', '--eval', script])).toBe('')
})

test('the commands that other tests run are in the documentation, and these tests exist', () => {
  expect(Object.keys(runElsewhere).filter((text) => !commandsByText.has(text))).toEqual([])
  expect(Object.values(runElsewhere).filter((file) => !isFile(file))).toEqual([])
})

test('blocks of commands are marked as sh or sql', () => {
  const blocks = listDocuments().flatMap((document) => parseBlocks(readDocument(document)))
  const withoutCommands = ['', 'csv', 'haproxy', 'ini', 'js', 'json', 'mermaid', 'nginx', 'text', 'ts', 'tsx', 'yaml']
  expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(['sh', 'sql', ...withoutCommands]))
})
