import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { migrations, toCurrentName } from './index.ts'

/**
 * Migrations are history: databases contain what they did when they ran. A file that is part of a release never changes.
 * The beginning of the SHA-256 of each one. Add that of a new migration with the release that contains it.
 */
const frozen: Readonly<Record<string, string>> = {
  '0001-own-tables': '64a83cd4bcfaec27',
  '0002-platform-tables': 'da1a1a9cea10058b',
  '0003-call-hours': 'daa21c79598d5a78',
  '0004-audit-trail': 'afebbf745c73d433',
  '0005-reset-links': '9ceccebaac81b4c8',
  '0006-audit-by-time': '828f7eaa4bcf0303',
  '0007-listed-numbers': '646cd932fb38d13b',
  '0008-call-ids': '59cd979a60c9b69f',
  '0009-traces': '003076bd4f4dc14d',
  '0010-captures': '207f79de918dc7b9',
  '0011-listed-alerts': 'd021eab20d29e585',
  '0012-logs': '80bded4934be1197',
  '0013-call-days': 'b6ba13c7cd226a15',
  '0014-alert-destinations': '671b4f7113eb58f8',
  '0015-billing': '3970dd8ce3379660',
  '0016-registrations': 'ec0f99217ae22ecb',
  '0017-sign-in-providers': '4c2585fea656d8b8',
  '0018-alert-addresses': '80949e37ce800379',
  '0019-audit-latest': '741bc3019bbf1fae',
  '0020-account-usage': '42f49aa2b4ccb709',
  '0021-alert-hooks': 'e5e7454af9f9287e',
  '0022-api-key-names': '85dcccceee55e751',
  '0023-call-outcomes': '25a92ccd3c2bf9d2',
  '0024-call-applications': 'a27589ee1cf75d4c',
  '0025-saved-views': '599007343c017db1',
  '0026-alert-groups': 'ff1b8b99a4ddee74',
  '0027-carrier-health': '7158000a731409fb',
  '0028-scheduled-backups': 'aebdfa8d671a4119',
  '0029-list-indexes': '7d61cb9d654c7f2d',
  '0030-agent-events': '1794c804af0592c5',
  '0031-trace-links': '0136fe2d33ae8d2b',
  '0032-voice-activities': '0b40df708171ad99',
  '0033-conversations': '5d63f52054186697',
  '0034-conversation-days': '007cacb94d26733a',
  '0035-conversation-limits': 'e87de7eab548933e',
  '0036-transcripts': 'b172c0e666b149c9',
  '0037-masking-rules': '2f1d0d6cd4b26239',
  '0038-call-shares': 'ce23dd342efe6f34',
  '0039-data-deletions': '4e90e6dfa0a029d0',
  '0040-muted-recordings': '8b0b7cac246ea18f',
  '0041-reviews': 'b8a86efc1e932566',
  '0042-transcript-removals': '8e4e086842c5d661',
  '0043-conversation-call-ids': '8c3a0739c67d1678',
  '0044-complete-number-lists': 'de779e18d6ffdd22',
  '0045-model-check-limits': 'fd12134982a72892',
  '0046-capture-agents': '6139a0c58c3a6b6c',
  '0047-blocked-calls': '159deb56067b1af4',
}

const files = readdirSync(import.meta.dirname).filter((name) => /^\d{4}-[\w-]+\.ts$/.test(name))

test.each(Object.entries(frozen))('%s is what it was when it was released', (name, hash) => {
  const content = readFileSync(`${import.meta.dirname}/${name}.ts`)
  expect(createHash('sha256').update(content).digest('hex').slice(0, 16)).toBe(hash)
})

test('each file is a migration, in the order of its number', () => {
  const names = migrations.map(({ name }) => name)
  expect(names).toEqual(files.map((file) => file.replace(/\.ts$/, '')).toSorted())
  expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_name, position) => position + 1))
})

test('migrations import nothing from the rest of the server but the functions that run statements', () => {
  for (const file of files) {
    const text = readFileSync(`${import.meta.dirname}/${file}`, 'utf8')
    const sources = [...text.matchAll(/from '([^']+)'/g)].map(([, source = '']) => source)
    expect([file, sources.filter((source) => !/^(?:node:\w+|kysely|\.\/statements\.ts)$/.test(source))]).toEqual([
      file,
      [],
    ])
  }
})

test('names of earlier versions are recognized', () => {
  expect(toCurrentName('2026-11-21-own-schema')).toBe('0001-own-tables')
  expect(toCurrentName('0001-own-tables')).toBe('0001-own-tables')
  expect(toCurrentName('2099-01-01-unknown')).toBe('2099-01-01-unknown')
})
