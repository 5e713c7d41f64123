import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readConfiguration, secretNames, settingNames } from './configuration.ts'
import { InvalidConfigurationError } from './invalid-configuration.ts'
import { resolveSecretFiles } from './secret-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'patchbay-secret-files-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Creates a file and returns its path. */
const write = (name: string, content: string): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const read = (variables: NodeJS.ProcessEnv) => readConfiguration({ DATA_DIR: join(folder, 'data'), ...variables })

test('settings with the name of a secret are marked as secrets', () => {
  const publicNames = ['ENABLE_FORGOT_PASSWORD', 'PASSWORD_REJECT_COMMON', 'STRIPE_PUBLISHABLE_KEY']
  const withSecretName = settingNames.filter((name) =>
    /PASSWORD|PASSPHRASE|SECRET|TOKEN|CONNECTION_STRING|_HEADERS$|(?:^|_)KEY$|_URL$/.test(name),
  )
  const urlsWithoutPassword =
    /^(?:JAEGER|HOMER|STRIPE|GITHUB|DME|PAGERDUTY)_.*URL$|^(?:PUBLIC|TERMS|PRIVACY|STRIPE_JS)_URL$/
  const expected = withSecretName.filter((name) => !publicNames.includes(name) && !urlsWithoutPassword.test(name))
  expect(secretNames).toEqual(expected)
})

describe.each(secretNames)('%s', (name) => {
  const resolve = (variables: NodeJS.ProcessEnv) => resolveSecretFiles(variables, secretNames)

  test('is read from a file, without the newline at its end', () => {
    for (const newline of ['', '\n', '\r\n'])
      expect(resolve({ PORT: '3000', [`${name}_FILE`]: write(name, `  the\nvalue ${newline}`) })).toEqual({
        variables: { PORT: '3000', [name]: '  the\nvalue ' },
        problems: [],
      })
  })

  test('prevents the start if it is set twice, or its file cannot be used', () => {
    const file = `${name}_FILE`
    const start = (variables: NodeJS.ProcessEnv) => () => read(variables)
    const path = write(name, 'a-value-in-a-file')
    expect(start({ [name]: 'a-value-in-a-file', [file]: path })).toThrow(`${name} and ${file} are both set`)
    expect(start({ [name]: 'a-value-in-a-file', [file]: path })).toThrow(InvalidConfigurationError)
    expect(start({ [file]: join(folder, 'missing') })).toThrow(`${file} names ${folder}/missing, which cannot be read`)
    expect(start({ [file]: folder })).toThrow(`${file} names ${folder}, which cannot be read`)
    expect(start({ [file]: write('empty', '\n') })).toThrow(`${file} names ${folder}/empty, which is empty`)
    expect(start({ [file]: '/dev/zero' })).toThrow(`${file} names /dev/zero, which is longer than 64 KiB`)
  })
})

test('secrets of files are validated like variables, and all problems are reported together', () => {
  const url = write('url', 'mysql://user:a-password@db:3306/patchbay\n')
  const jwt = write('jwt', 'a secret of many letters\n')
  expect(read({ DATABASE_URL_FILE: url, JWT_SECRET_FILE: jwt })).toMatchObject({
    database: { engine: 'mysql', url: 'mysql://user:a-password@db:3306/patchbay' },
    jwtSecret: 'a secret of many letters',
  })
  const wrong = () => read({ SMTP_URL_FILE: jwt, DME_API_KEY_FILE: '/missing', PORT: 'x' })
  expect(wrong).toThrow(/DME_API_KEY_FILE[^]*PORT[^]*SMTP_URL/)
  expect(wrong).not.toThrow(/a secret of many letters/)
})

test('an empty variable does not count as a second value, and other names that end with _FILE are unchanged', () => {
  const jwt = write('jwt', 'a secret of many letters')
  expect(read({ JWT_SECRET: '', JWT_SECRET_FILE: jwt }).jwtSecret).toBe('a secret of many letters')
  expect(resolveSecretFiles({ SMTP_CA_FILE: '/ca.pem' }, secretNames).variables).toEqual({ SMTP_CA_FILE: '/ca.pem' })
})
