import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { enter, mysqlStore } from '@patchbay/testkit/crash/crash-rounds'
import { callApi, getBody, getText } from '@patchbay/testkit/crash/durability-ledger'
import { hearMp3, startRecording, tones } from '@patchbay/testkit/fakes/recorder'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { startRedis } from '@patchbay/testkit/servers/redis'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { version as packageVersion } from '../../package.json' with { type: 'json' }
import { platforms } from '../../scripts/release/runtime-packages.mjs'
import { createRelease } from '../../scripts/release.mjs'
import { provideNode } from '../../scripts/run/ensure-node.mjs'
import { version as pinnedNode } from '../../scripts/run/node-version.json' with { type: 'json' }
import { readSourceCommit } from '../../scripts/run/source-commit.mjs'

/** The archive of a release runs without an installation, and says what it contains. */

const folder = mkdtempSync(join(tmpdir(), 'patchbay-release-'))
const publishedFolder = join(folder, 'published')
const installed = join(folder, 'installed')
/** A release installs all packages again, and builds. */
const releaseTimeoutMs = 15 * 60_000

/** While a change is tested, the checkout differs from its commit. */
const pack = (target: string) => createRelease(target, { allowDirty: true })
let archive: string
let title: string

beforeAll(() => {
  const release = pack(publishedFolder)
  archive = release.archive
  title = `patchbay-${release.version}`
  mkdirSync(installed)
  execFileSync('tar', ['-xzf', archive, '-C', installed, '--strip-components=1'])
}, releaseTimeoutMs)
afterAll(() => rmSync(folder, { recursive: true }))

const start = (settings: NodeJS.ProcessEnv = {}): Promise<RunningServer> =>
  // Outside of the checkout, so that nothing of it is found.
  startServer(settings, [join(installed, 'patchbay.mjs')], installed)

describe('the unpacked archive', () => {
  test('runs on SQLite: serves the console, signs in, and encodes a recording', async () => {
    const server = await start()
    try {
      expect(await (await fetch(server.url)).text()).toContain('<title>Patchbay</title>')
      const target = await enter(server)
      const create = async (path: string, body: object) =>
        getText(getBody(await callApi(target, target.apiKey, 'POST', path, body)), 'sid')
      const service_provider_sid = await create('/ServiceProviders', { name: 'released' })
      const account_sid = await create('/Accounts', { name: 'released', service_provider_sid, record_format: 'mp3' })
      const call = await startRecording({ url: server.url.replace('http', 'ws'), account_sid })
      await call.say(tones([440, 1000], 2))
      await call.hangUp()
      const findRecording = () => globSync('recordings/**/*.mp3', { cwd: server.dataDir })
      await expect.poll(findRecording).toHaveLength(1)
      const { seconds } = await hearMp3(readFileSync(join(server.dataDir, findRecording()[0] ?? '')))
      expect(Math.abs(seconds - 2)).toBeLessThan(0.5)
    } finally {
      await server.stop()
    }
  })

  test('runs on MariaDB and Redis', async () => {
    const redis = await startRedis()
    const store = mysqlStore(await mariaDbClient(inject('mariadb')).createDatabase())
    const server = await start({ ...store.settings, ...redis.settings })
    try {
      const target = await enter(server)
      expect((await callApi(target, target.apiKey, 'GET', '/ServiceProviders')).status).toBe(200)
    } finally {
      await server.stop()
      await redis.stop()
    }
  })

  test('is a package that npm installs without the registry', () => {
    const target = join(folder, 'npm')
    mkdirSync(target)
    const options = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', target]
    execFileSync('npm', ['install', ...options, archive], { cwd: target, stdio: 'pipe' })
    // The command runs on the Node.js that is first in the path.
    const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}` }
    const command = ['--offline', 'patchbay', 'version', '--json']
    const output = execFileSync('npx', command, { cwd: target, env, encoding: 'utf8' })
    const { commit, modified } = readSourceCommit('.')
    const built = { version: packageVersion, node: process.versions.node, commit, modified }
    expect(JSON.parse(output)).toEqual(built)
    expect(existsSync(join(target, 'node_modules/patchbay/node_modules/mariadb/package.json'))).toBe(true)
  })

  test('says in a sentence that the installed Node.js is too old', async () => {
    const old = await provideNode('20.20.2')
    const { status, stdout, stderr } = spawnSync(old, [join(installed, 'patchbay.mjs'), 'version'], {
      encoding: 'utf8',
    })
    const sentence = 'Patchbay needs Node 24.22.1 or a later 24, or 26.12.1 or later, and this is 20.20.2.\n'
    expect([status, stdout, stderr]).toEqual([1, '', sentence])
  })

  test('contains the pages of the documentation, and every file to which they link or that their commands use', () => {
    const pages = globSync('**/*.md', { cwd: installed, exclude: ['**/node_modules'] })
    expect(pages.length).toBeGreaterThan(50)
    const missing = pages.flatMap((page) => {
      const text = readFileSync(join(installed, page), 'utf8')
      const links = [...text.replaceAll(/^```[^]*?^```/gm, '').matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)]
      const linked = links.map(([, link = '']) => join(dirname(page), link))
      const used = page.startsWith('docs/how-to/') ? (text.match(/\bdeploy\/[\w./-]*\w/g) ?? []) : []
      return [...linked, ...used].filter((path) => !existsSync(join(installed, path)))
    })
    // A command of the same page creates the folder of the secrets.
    expect(missing).toEqual(['deploy/compose/secrets'])
  })

  test('contains the native module of each platform, and no source maps', () => {
    for (const platform of platforms)
      expect([platform, globSync(`node_modules/@node-rs/argon2-${platform}/*.node`, { cwd: installed })]).toEqual([
        platform,
        [expect.any(String)],
      ])
    expect(globSync('{server,console}/**/*.map', { cwd: installed })).toEqual([])
  })
})

describe('a release', () => {
  test(
    'has the same bytes if it is created again, and the published sums',
    () => {
      const again = join(folder, 'again')
      pack(again)
      const sums = readFileSync(join(again, 'SHA256SUMS'), 'utf8')
      expect(sums).toBe(readFileSync(join(publishedFolder, 'SHA256SUMS'), 'utf8'))
      const files = sums.replaceAll(/^[\da-f]{64} {2}/gm, '')
      expect(files).toBe(`${title}.sbom.cdx.json\n${title}.tar.gz\n`)
      execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: publishedFolder, stdio: 'pipe' })
    },
    releaseTimeoutMs,
  )

  test('lists its packages and Node.js with versions and licenses, as the schema of CycloneDX demands', async () => {
    const read = (file: string) => readFileSync(join(installed, file), 'utf8')
    const { bomFormat, components } = JSON.parse(read('sbom.cdx.json')) as {
      bomFormat: string
      components: { name: string; version: string; purl: string }[]
    }
    expect(bomFormat).toBe('CycloneDX')
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
    expect(await validator.validate(read('sbom.cdx.json'))).toBeNull()
    expect(await validator.validate('{"bomFormat":"CycloneDX"}')).not.toBeNull()
    expect(components).toContainEqual(expect.objectContaining({ name: 'node', version: pinnedNode }))
    const purls = components.map(({ purl }) => purl)
    const { dependencies } = JSON.parse(readFileSync('server/package.json', 'utf8')) as {
      dependencies: Record<string, string>
    }
    const expected = Object.entries(dependencies)
      .filter(([name]) => name !== 'vite' && !name.startsWith('@patchbay/'))
      .map(([name, version]) => `pkg:npm/${name.replace('@', '%40')}@${version}`)
    expect(expected.filter((purl) => !purls.includes(purl))).toEqual([])
    // Tools of the tests are not part of a release, and neither is what their dependencies would add to a bundle.
    expect(purls.filter((purl) => /vitest|playwright|oxlint|supports-color|has-flag/.test(purl))).toEqual([])
    const notices = read('THIRD-PARTY-NOTICES.txt')
    for (const text of ['fastify 5', 'react 1', 'Permission is hereby granted', 'Apache License'])
      expect(notices).toContain(text)
  })
})
