import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { enter } from '@patchbay/testkit/crash/crash-rounds'
import { callApi, getBody } from '@patchbay/testkit/crash/durability-ledger'
import {
  type BuiltImage,
  canBuildImages,
  containerArguments,
  createImageBuilder,
  createVolume,
  findContainerProcess,
  type ImageBuilder,
  readImageEnvironment,
  runInContainer,
} from '@patchbay/testkit/servers/container-image'
import { freePort } from '@patchbay/testkit/servers/ports'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createImageContext } from '../../scripts/release/image-context.mjs'
import { createRelease } from '../../scripts/release.mjs'

/** The container image of a release: what it contains, and that it runs with a read-only root as its own user. */

const megabyte = 1024 ** 2

/** A release installs all packages again, and builds. */
const releaseTimeoutMs = 15 * 60_000

/** Returns the machine in the header of an ELF file: 62 for x86-64, 183 for ARM64. */
const readMachine = (file: string): number => {
  const header = Buffer.alloc(20)
  readSync(openSync(file, 'r'), header)
  return header.readUInt16LE(18)
}

/** A running container. */
interface Container {
  server: RunningServer
  /** The server, as this machine sees it. */
  pid: number
  env: Record<string, string>
}

const startContainer = async (image: BuiltImage, volume: string): Promise<Container> => {
  const env = {
    ...readImageEnvironment(image),
    PORT: String(await freePort()),
    METRICS_PORT: String(await freePort()),
  }
  const command = [...image.config.Entrypoint, ...image.config.Cmd]
  const server = await startServer(env, containerArguments(image, volume, command), undefined, 'unshare')
  return { server, pid: findContainerProcess(server.pid), env }
}

const stopContainer = ({ server, pid }: Container): Promise<number | null> => {
  process.kill(pid, 'SIGTERM')
  return server.ended
}

describe.skipIf(!canBuildImages)('the container image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-image-'))
  let builder: ImageBuilder
  let context: string
  let release: ReturnType<typeof createRelease>
  let image: BuiltImage

  beforeAll(async () => {
    release = createRelease(folder, { allowDirty: true })
    context = createImageContext(folder, release)
    builder = createImageBuilder(release.time)
    image = await builder.build(context, 'amd64')
  }, releaseTimeoutMs)
  afterAll(() => {
    builder.remove()
    rmSync(folder, { recursive: true })
  })

  test('has less than 300 MB, its own user, one volume, a health check, and labels', () => {
    const [bytes] = execFileSync('du', ['--summarize', '--bytes', image.root], { encoding: 'utf8' }).split('\t')
    expect(Number(bytes)).toBeLessThan(300 * megabyte)
    expect(image.config).toMatchObject({
      User: '10001:10001',
      Volumes: { '/data': {} },
      // Metrics need no credentials, so no port is open for them by default.
      ExposedPorts: { '3000/tcp': {} },
      Healthcheck: { Test: ['CMD', 'node', '/opt/patchbay/healthcheck.mjs'] },
      Labels: {
        'org.opencontainers.image.title': 'Patchbay',
        'org.opencontainers.image.licenses': 'MIT',
        'org.opencontainers.image.version': release.version,
        'org.opencontainers.image.revision': release.commit,
      },
    })
    expect(Object.keys(image.config.Volumes)).toHaveLength(1)
    expect(Object.keys(readImageEnvironment(image)).filter((name) => name.startsWith('METRICS'))).toEqual([])
  })

  test('has the same bytes if it is built again from a context whose files are newer', async () => {
    const again = join(folder, 'again')
    cpSync(context, again, { recursive: true })
    execFileSync('chmod', ['-R', 'go-w', again])
    expect((await builder.build(again, 'amd64')).digest).toBe(image.digest)
    expect(image.digest).toMatch(/^sha256:/)
    // Another file changes it.
    writeFileSync(join(again, 'patchbay/README.md'), 'changed')
    expect((await builder.build(again, 'amd64')).digest).not.toBe(image.digest)
  })

  test('contains no build tools, and nothing in it but the volume belongs to its user', () => {
    const tools = ['npm', 'npx', 'corepack', 'gcc', 'cc', 'g++', 'make', 'ld', 'python3', 'git', 'curl']
    const folders = ['usr/local/bin', 'usr/bin', 'usr/sbin']
    const programs = folders.flatMap((each) => tools.map((tool) => join(image.root, each, tool)))
    expect(programs.filter((program) => existsSync(program))).toEqual([])
    expect(existsSync(join(image.root, 'usr/local/bin/node'))).toBe(true)
    const files = globSync('opt/**', { cwd: image.root }).map(
      (file) => [file, lstatSync(join(image.root, file))] as const,
    )
    expect(files.length).toBeGreaterThan(500)
    expect(files.filter(([, { uid, mode }]) => uid !== 0 || (mode & 0o022) !== 0).map(([file]) => file)).toEqual([])
    expect(statSync(join(image.root, 'data')).uid).toBe(10001)
  })

  test('contains the native modules of its platform only, on amd64 and on arm64', async () => {
    const readMachines = ({ root }: BuiltImage) => {
      const native = globSync('opt/patchbay/node_modules/@node-rs/*/*.node', { cwd: root })
      const library = globSync('usr/lib/*-linux-gnu/libatomic.so.1', { cwd: root })
      return [...native, ...library, 'usr/local/bin/node'].map((file) => readMachine(join(root, file)))
    }
    expect(readMachines(image)).toEqual([62, 62, 62])
    const other = await builder.build(context, 'arm64')
    expect(other.architecture).toBe('arm64')
    expect(readMachines(other)).toEqual([183, 183, 183])
    const { User, Env, Entrypoint, Healthcheck, Volumes } = image.config
    expect(other.config).toMatchObject({ User, Env, Entrypoint, Healthcheck, Volumes })
  })

  test('runs with a read-only root: signs in, saves, restarts with its data, and reports its health', async () => {
    const volume = createVolume(image)
    const container = await startContainer(image, volume)
    const target = await enter(container.server)
    getBody(await callApi(target, target.apiKey, 'POST', '/ServiceProviders', { name: 'in a container' }))

    const status = readFileSync(`/proc/${container.pid}/status`, 'utf8')
    expect(status).toMatch(/^Uid:\t10001\t10001\t10001\t10001$/m)
    expect(status).toMatch(/^NSpid:\t\d+\t1$/m)
    expect(status).toMatch(/^CapEff:\t0+$/m)
    expect(status).toMatch(/^NoNewPrivs:\t1$/m)
    const touch = await runInContainer(
      container.pid,
      image,
      ['touch', '/opt/patchbay/file', '/tmp/file'],
      container.env,
    )
    expect(touch.output.match(/Read-only file system/g)).toHaveLength(2)

    const [, ...healthcheck] = image.config.Healthcheck.Test
    const check = (env: Record<string, string>) => runInContainer(container.pid, image, healthcheck, env)
    expect(await check(container.env)).toEqual({ code: 0, output: '200 {"status":"ready"}\n' })
    const unusedPort = String(await freePort())
    expect(await check({ ...container.env, PORT: unusedPort })).toMatchObject({
      code: 1,
      output: expect.stringContaining(`127.0.0.1:${unusedPort}/readyz did not respond`),
    })
    const metrics = await fetch(`http://127.0.0.1:${container.env['METRICS_PORT']}/metrics`)
    expect(await metrics.text()).toContain('patchbay_build_info{')
    const backup = await runInContainer(container.pid, image, ['patchbay', 'backup', '/data/a.backup'], container.env)
    expect(backup).toMatchObject({ code: 0 })
    expect(existsSync(join(volume, 'a.backup'))).toBe(true)
    expect(await stopContainer(container)).toBe(0)

    const again = await startContainer(image, volume)
    const providers = getBody(await callApi(again.server, target.apiKey, 'GET', '/ServiceProviders'))
    expect(providers).toContainEqual(expect.objectContaining({ name: 'in a container' }))
    expect(await stopContainer(again)).toBe(0)
    rmSync(volume, { recursive: true })
  })
})
