import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { secretNames, settingNames } from './configuration.ts'

const reference = fileURLToPath(new URL('../../../docs/reference/configuration.md', import.meta.url))
const secretsReference = fileURLToPath(new URL('../../../docs/reference/secrets.md', import.meta.url))

type Variables = Readonly<Record<string, z.ZodType>>

/** Returns the variables of a module of settings. */
const loadVariables = async (name: string): Promise<Variables> => {
  const module = (await import(`./settings/${name}-settings.ts`)) as Record<string, Variables>
  const [, variables] = Object.entries(module).find(([member]) => member.endsWith('Variables')) ?? []
  return variables ?? expect.fail(`${name}-settings.ts has no variables`)
}

/** Returns the default value of a setting, which its schema or its description knows. */
const getDefault = (schema: z.ZodType): string => {
  const { documentedDefault } = schema.meta() ?? {}
  if (typeof documentedDefault === 'string') return documentedDefault
  const { data } = schema.safeParse(undefined)
  const isPlain = Array.isArray(data) || ['string', 'number', 'boolean'].includes(typeof data)
  return (isPlain && String(data)) || 'unset'
}

const describeSetting = ([name, schema]: [string, z.ZodType]): string =>
  `| \`${name}\` | ${getDefault(schema)} | ${schema.description} |`

const describeSettings = async (modules: string): Promise<string> => {
  const variables = await Promise.all(modules.split(', ').map(loadVariables))
  const rows = variables.flatMap((group) => Object.entries(group).map(describeSetting))
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n')
}

const maxColumns = 120

/** Breaks a paragraph into lines. */
const wrap = (text: string): string =>
  text.split(' ').reduce((lines, word) => {
    const line = lines.slice(lines.lastIndexOf('\n') + 1)
    return `${lines}${line.length + 1 + word.length > maxColumns ? '\n' : ' '}${word}`
  })

const describeSecrets = (): string => {
  const names = secretNames.map((name) => `\`${name}\``)
  return wrap(`These settings are secrets: ${names.slice(0, -1).join(', ')}, and ${names.at(-1)}.`)
}

/** A table of settings. The comment before it names the modules of config/settings/ that contain them. */
const table = /(?<=^<!-- settings: (.*) -->\n\n)[^]*?(?=\n\n<!-- end of settings -->$)/gm
const secretList = /(?<=^<!-- secrets -->\n\n)[^]*?(?=\n\n<!-- end of secrets -->$)/m

test('the configuration reference shows the settings with their descriptions', async () => {
  const page = readFileSync(reference, 'utf8')
  const groups = [...page.matchAll(table)].map(([, modules = '']) => modules)
  const tables = new Map(
    await Promise.all(groups.map(async (group) => [group, await describeSettings(group)] as const)),
  )
  const written = page.replaceAll(table, (_rows, modules: string) => tables.get(modules) ?? '')
  // `vitest run -u` writes the page.
  await expect(written.replace(secretList, describeSecrets)).toMatchFileSnapshot(reference)
})

test('the configuration reference lists every setting, and no others', () => {
  const rows = readFileSync(reference, 'utf8').match(/^\| `.*?(?= \|)/gm) ?? []
  const documented = rows.flatMap((row) => [...row.matchAll(/`([A-Z][A-Z0-9_]*)`/g)].map(([, name]) => name))
  expect(new Set(documented)).toEqual(new Set(settingNames))
})

test('the configuration reference lists every secret that a file can contain', () => {
  const [, list = ''] = /These settings are secrets: ([^.]*)\./.exec(readFileSync(reference, 'utf8')) ?? []
  expect([...list.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name]) => name)).toEqual(secretNames)
})

test('the reference of secrets says of every secret what it protects', () => {
  const rows = readFileSync(secretsReference, 'utf8').match(/^\| `.*?(?= \|)/gm) ?? []
  const documented = rows.flatMap((row) => [...row.matchAll(/`([A-Z][A-Z0-9_]*)`/g)].map(([, name]) => name))
  expect(secretNames.filter((name) => !documented.includes(name))).toEqual([])
  const unknown = documented.filter((name) => name !== undefined && !settingNames.includes(name) && name !== 'DATA_DIR')
  expect(unknown).toEqual([])
})
