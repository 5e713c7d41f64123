import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { statusAndMessage } from './fixtures.ts'

let api: TestApi
beforeAll(async () => {
  api = await createTestApi()
})
beforeEach(async () => {
  await api.test.database.db.deleteFrom('password_settings').execute()
})
afterAll(() => api.close())

const read = async () => (await api.admin.get('/PasswordSettings')).body
const rows = () => api.test.database.db.selectFrom('password_settings').selectAll().execute()

const methods = [
  {
    method: 'PUT',
    save: (body: object) => api.admin.put('/PasswordSettings', body),
    answer: { status: 204, text: '' },
  },
  {
    method: 'POST',
    save: (body: object) => api.admin.post('/PasswordSettings', body),
    answer: { status: 201, body: {} },
  },
] as const

test('SETTINGS-14 API-047 COMMON-54 GET PasswordSettings returns the three settings, with defaults of 6 and off', async () => {
  expect(await read()).toEqual({ min_password_length: 6, require_digit: 0, require_special_character: 0 })
  await api.test.database.db
    .insertInto('password_settings')
    .values({ min_password_length: 11, require_digit: 1 })
    .execute()
  expect(await read()).toEqual({ min_password_length: 11, require_digit: 1, require_special_character: 0 })
})

test('API-048 PUT PasswordSettings sets the three settings', async () => {
  const answer = await api.admin.put('/PasswordSettings', {
    min_password_length: 15,
    require_digit: 1,
    require_special_character: true,
  })
  expect(answer).toMatchObject({ status: 204, text: '' })
  expect(await read()).toEqual({ min_password_length: 15, require_digit: 1, require_special_character: 1 })
  expect(await rows()).toHaveLength(1)
})

describe.each(methods)('$method', ({ save, answer }) => {
  test('sets the fields of the request, keeps absent ones, and stores one row', async () => {
    expect(await save({ min_password_length: 15, require_digit: 1, require_special_character: 1 })).toMatchObject(
      answer,
    )
    expect(await save({ min_password_length: 10, require_special_character: 0 })).toMatchObject(answer)
    expect(await read()).toEqual({ min_password_length: 10, require_digit: 1, require_special_character: 0 })
    expect(await save({ require_digit: false })).toMatchObject(answer)
    expect(await read()).toEqual({ min_password_length: 10, require_digit: 0, require_special_character: 0 })
    expect(await rows()).toHaveLength(1)
  })

  test('a first change without the length uses 6', async () => {
    await save({ require_digit: 1 })
    expect(await read()).toEqual({ min_password_length: 6, require_digit: 1, require_special_character: 0 })
  })

  test('an empty body changes nothing and creates no row; unknown fields are ignored', async () => {
    expect(await save({})).toMatchObject(answer)
    expect(await save({ nonsense: 1 })).toMatchObject(answer)
    expect(await rows()).toEqual([])
  })

  test('accepts the same values again', async () => {
    for (let time = 0; time < 2; time += 1) expect(await save({ min_password_length: 9 })).toMatchObject(answer)
    expect(await rows()).toHaveLength(1)
  })

  test.each([5, 21, 0, -6, 7.5, '8', null, true, [8]])('a length of %j is rejected', async (min_password_length) => {
    await save({ min_password_length: 12 })
    expect(statusAndMessage(await save({ min_password_length, require_digit: 1 }))).toEqual([
      400,
      'invalid min_password_length property: should be between 6-20',
    ])
    expect(await read()).toEqual({ min_password_length: 12, require_digit: 0, require_special_character: 0 })
  })

  test.each([6, 20])('a length of %j is accepted', async (min_password_length) => {
    expect(await save({ min_password_length })).toMatchObject(answer)
    expect(await read()).toMatchObject({ min_password_length })
  })

  test.each(['require_digit', 'require_special_character'])('%s is a boolean', async (field) => {
    for (const wrong of [2, 'yes', null, -1])
      expect(await save({ [field]: wrong })).toMatchObject({ status: 400, body: { field } })
    expect(await rows()).toEqual([])
  })
})
