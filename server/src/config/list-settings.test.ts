import { describe, expect, test } from 'vitest'
import { secretNames, settingNames } from './configuration.ts'
import { listSettings } from './list-settings.ts'
import { editDistance } from './unknown-settings.ts'

const find = (variables: NodeJS.ProcessEnv, name: string) =>
  listSettings(variables).settings.find((setting) => setting.name === name)

test('lists settings of the environment and defaults, and leaves out empty ones without a default', () => {
  const variables = { PORT: '8080', HOST: '', TRUSTED_NETWORKS: '', PATH: '/bin' }
  expect(find(variables, 'PORT')).toEqual({ name: 'PORT', source: 'environment', value: '8080' })
  expect(find(variables, 'HOST')).toEqual({ name: 'HOST', source: 'default', value: '127.0.0.1' })
  expect(find(variables, 'TRUSTED_NETWORKS')).toBeUndefined()
  expect(find(variables, 'PATH')).toBeUndefined()
})

test.each(secretNames)('never shows %s', (name) => {
  const hidden = { name, value: null }
  expect(find({ [name]: 'a-secret-value' }, name)).toEqual({ ...hidden, source: 'environment' })
  expect(find({ [`${name}_FILE`]: '/run/secrets/a' }, name)).toEqual({ ...hidden, source: 'file' })
  expect(JSON.stringify(listSettings({ [name]: 'a-secret-value' }))).not.toContain('a-secret-value')
})

test.each(settingNames)('shows no password of a URL in %s, even if the value is wrong', (name) => {
  const value = 'api.example.com=https://user:hunter2@a.example, http://other:hunter/2@b.example/path'
  expect(JSON.stringify(listSettings({ [name]: value }))).not.toContain('hunter')
})

describe('unknown settings', () => {
  const findUnknown = (name: string, value = '1') => listSettings({ [name]: value }).unknown

  test.each([
    ['JWT_SECRTE', 'JWT_SECRET'],
    ['JWT_SECRET_FIL', 'JWT_SECRET_FILE'],
    ['DATABASEURL', 'DATABASE_URL'],
    ['jwt_secret', 'JWT_SECRET'],
    ['DISABLE-LCR', 'DISABLE_LCR'],
    ['INTAKE_PASWORD', 'INTAKE_PASSWORD'],
    ['PATCHBAY_PORT', null],
    ['BACKUP_KEEP_LAST', 'BACKUP_KEEP'],
    ['BACKUP_BUCKET', null],
    ['METRICS_ENABLED', null],
    ['CLICKHOUSE_SPOOL_BYTES', null],
    ['RATE_LIMIT_PER_MINUTE', null],
    ['SESSION_MAX_MINUTES', null],
  ])('reports %s with the suggestion %s', (name, suggestion) => {
    expect(findUnknown(name)).toEqual([{ name, suggestion }])
  })

  test.each([
    'PATH',
    'HOME',
    'LANG',
    'HOSTNAME',
    'NODE_ENV',
    'JAMBONES_MYSQL_HOST',
    'POST',
    'KUBERNETES_PORT',
    'SMTP_CA_FILE',
    'SESSION_MANAGER',
    // Variables of the image of ClickHouse and of jambonz, which can be in the same file.
    'CLICKHOUSE_USER',
    'CLICKHOUSE_DB',
    'DME_ACCOUNT_ID',
  ])('does not report %s', (name) => {
    expect(findUnknown(name)).toEqual([])
  })

  test.each([
    ['PATCHBAY_SERVICE_HOST', '10.0.0.1'],
    ['PATCHBAY_SERVICE_PORT', '80'],
    ['PATCHBAY_SERVICE_PORT_HTTP', '80'],
    ['PATCHBAY_PORT', 'tcp://10.0.0.1:80'],
    ['BACKUP_STORE_PORT_9000_TCP', 'tcp://10.0.0.1:9000'],
    ['BACKUP_STORE_PORT_9000_TCP_PROTO', 'tcp'],
    ['METRICS_PORT_9090_UDP_ADDR', '10.0.0.1'],
  ])('does not report %s=%s, which Kubernetes sets for a service', (name, value) => {
    expect(findUnknown(name, value)).toEqual([])
  })
})

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
  ['PORT', 'PROT', 2],
])('the edit distance of "%s" and "%s" is %i', (from, to, distance) => {
  expect(editDistance(from, to)).toBe(distance)
  expect(editDistance(to, from)).toBe(distance)
})
