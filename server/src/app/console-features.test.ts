import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readConfiguration } from '../config/configuration.ts'
import { listExtensions } from './console-features.ts'

const consoleSource = new URL('../../../console/src', import.meta.url).pathname

/** The extensions that the console asks for: in code, or as a condition of a screen. */
const listNamesInConsole = (): string[] =>
  globSync('**/*.{ts,tsx}', { cwd: consoleSource, exclude: ['**/*.test.*'] }).flatMap((file) => {
    const text = readFileSync(`${consoleSource}/${file}`, 'utf8')
    return [...text.matchAll(/(?:extensions\.has\(|serverExtension(?:: | = ))'([a-z-]+)'/g)].map(
      ([, name = '']) => name,
    )
  })

test('an installation with all features announces exactly the extensions that the console asks for', () => {
  const configuration = readConfiguration({
    JWT_SECRET: 'a secret that only tests use',
    JAMBONES_HOSTING: '1',
    ENABLE_FORGOT_PASSWORD: '1',
    PUBLIC_URL: 'https://console.example.com',
    PHONE_SBC_URLS: 'wss://sip.example.com:8443',
  })
  expect(listExtensions(configuration).toSorted((a, b) => a.localeCompare(b))).toEqual(
    [...new Set(listNamesInConsole())].toSorted((a, b) => a.localeCompare(b)),
  )
})
