import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { type BackupStorageSettings, parseBackupTarget } from './backup-target.ts'

const settings: BackupStorageSettings = {
  BACKUP_S3_ACCESS_KEY_ID: 'an id',
  BACKUP_S3_SECRET_ACCESS_KEY: 'a key',
  BACKUP_AZURE_CONNECTION_STRING: 'a connection',
  BACKUP_GOOGLE_SERVICE_KEY: 'a service key',
}

const getMessage = (text: string, storage = settings): string => {
  try {
    return parseBackupTarget(text, storage).name
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

test.each([
  ['s3://AKIAEXAMPLE:hunter2@bucket/nightly', 'contains credentials'],
  ['s3://AKIAEXAMPLE:hun/ter2/hunter2@bucket/nightly', 'contains credentials'],
  ['s3://AKIAEXAMPLE@hunter2/nightly', 'contains credentials'],
  ['azure://hunter2@container', 'contains credentials'],
  ['gs://:hunter2@bucket/', 'contains credentials'],
  ['S3://AKIAEXAMPLE:hunter2@bucket/nightly', 'contains credentials'],
  ['sftp://user:hunter2@host/backups', 'contains credentials'],
  ['https://host/backups?sig=hunter2', 'is not a target for backups. Use a path, s3://, azure://, or gs://'],
])('a target that is rejected is not quoted: %s', (text, message) => {
  const quoted = getMessage(text)
  expect(quoted).toContain(message)
  expect(quoted).not.toMatch(/hunter2|AKIA/)
})

test('a missing setting is named without the target', () => {
  expect(getMessage('s3://hunter2/nightly', {})).toBe(
    'BACKUP_S3_ACCESS_KEY_ID must be set for backups in s3:// storages.',
  )
})

test.each([
  ['s3://bucket/team@example.com/nightly', { is: 'object', key: 'team@example.com/nightly' }],
  ['gs://bucket', { is: 'object', key: '' }],
  ['/backups/a@b', { is: 'path', name: '/backups/a@b' }],
  ['backups', { is: 'path', name: resolve('backups') }],
])('accepts %s', (text, target) => {
  expect(parseBackupTarget(text, settings)).toMatchObject(target)
})
