import { expect, test } from 'vitest'
import { parseCallSearch } from './recent-calls.ts'

test('the search of recent calls keeps known parameters with valid values only', () => {
  expect(
    parseCallSearch({ date: '7', direction: 'inbound', answered: 'true', filter: '+41', page: '3', size: '50' }),
  ).toEqual({
    date: '7',
    direction: 'inbound',
    answered: 'true',
    filter: '+41',
    page: 3,
    size: 50,
  })
  expect(parseCallSearch({ status: '503', min_duration: 60, tab: 'sip' })).toEqual({
    sip_status: '503',
    min_duration: '60',
  })
  expect(parseCallSearch({ number: '+1 508', application_sid: 'a', max_duration: 59 })).toEqual({
    number: '+1 508',
    application_sid: 'a',
    max_duration: '59',
  })
  expect(parseCallSearch({ open: 'row', tab: 'sip' })).toEqual({ open: 'row', tab: 'sip' })
  expect(parseCallSearch({ date: '8', direction: 'up', answered: 'maybe', page: '-1', size: '26' })).toEqual({})
})
