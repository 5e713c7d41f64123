import { describe, expect, test } from 'vitest'
import { isRejected, type Point, parseLineProtocol } from './line-protocol.ts'
import { parseAlertPoint, parseCallPoint } from './parse-call-point.ts'

const point = (line: string) => {
  const [read] = [...parseLineProtocol(line, { precision: 'n', now: 5n })].filter(
    (of): of is Point => of !== undefined && !isRejected(of),
  )
  if (read === undefined) throw new Error(`not a point: ${line}`)
  return read
}
const call = (line: string) => parseCallPoint(point(line))
const alert = (line: string) => parseAlertPoint(point(line))

describe('a call', () => {
  test('is parsed with all fields that jambonz writes', () => {
    const line =
      'cdrs,direction=inbound,host=10.0.0.5,trunk=my\\ trunk,service_provider_sid=SP,account_sid=AC,answered=true ' +
      'answered_at=1740402714969,application_sid="AP",billed_seconds=60,call_sid="CS",cost=0.02,duration=45,from="1508",' +
      'rate=0.02,recording_url="http://r",remote_host="3.3.3.3",sip_callid="x@y",sip_parent_callid="p@y",sip_status=200,' +
      'terminated_at=1740402716153,termination_reason="caller hungup",to="1888",trace_id="T" 1740402711969000123'
    expect(call(line)).toEqual({
      ok: true,
      value: {
        time: 1_740_402_711_969_000_123n,
        account_sid: 'AC',
        service_provider_sid: 'SP',
        call_sid: 'CS',
        direction: 'inbound',
        answered: true,
        answered_at: 1_740_402_714_969,
        terminated_at: 1_740_402_716_153,
        duration: 45,
        from: '1508',
        to: '1888',
        host: '10.0.0.5',
        remote_host: '3.3.3.3',
        trunk: 'my trunk',
        application_sid: 'AP',
        sip_callid: 'x@y',
        sip_parent_callid: 'p@y',
        sip_status: 200,
        termination_reason: 'caller hungup',
        trace_id: 'T',
        recording_url: 'http://r',
        cost: 0.02,
        rate: 0.02,
        billed_seconds: 60,
        extra: {},
      },
    })
  })

  test('has null for missing values, except a duration of 0 and answered false', () => {
    const read = call('cdrs,account_sid=A,service_provider_sid=undefined,trunk=null call_sid="undefined",from="null"')
    expect(read).toMatchObject({
      value: { service_provider_sid: null, trunk: null, call_sid: null, from: 'null', sip_status: null, to: null },
    })
    expect(read).toMatchObject({ value: { time: 5n, duration: 0, answered: false, answered_at: null } })
  })

  test('passes on fields of newer writers, including names that are special in JavaScript', () => {
    const read = call('cdrs,account_sid=A,region=eu,__proto__=x mos=4.2,hd=true,note="n"')
    if (!read.ok) throw new Error(read.reason)
    expect(new Map(Object.entries(read.value.extra))).toEqual(
      new Map<string, unknown>([
        ['__proto__', 'x'],
        ['hd', true],
        ['mos', 4.2],
        ['note', 'n'],
        ['region', 'eu'],
      ]),
    )
    expect(Object.getPrototypeOf(read.value.extra)).toBe(Object.prototype)
  })

  test('uses the tag if a field has the same name', () => {
    expect(call('cdrs,account_sid=A account_sid="B"')).toMatchObject({ value: { account_sid: 'A', extra: {} } })
  })

  test('has a duration in whole seconds', () => {
    expect(call('cdrs,account_sid=A duration=44.6')).toMatchObject({ value: { duration: 45 } })
  })

  test.each([
    ['cdrs,direction=inbound duration=1', 'account_sid is missing'],
    ['cdrs,account_sid=undefined duration=1', 'account_sid is missing'],
    ['cdrs,account_sid=null duration=1', 'account_sid is missing'],
    ['cdrs account_sid="A"', 'account_sid is missing'],
    ['cdrs,account_sid=undefined account_sid="A"', 'account_sid is missing'],
    [`cdrs,account_sid=${'a'.repeat(37)} duration=1`, 'account_sid is longer than 36 characters'],
    [`cdrs,account_sid=A call_sid="${'a'.repeat(65)}"`, 'call_sid is longer than 64 characters'],
    [`cdrs,account_sid=A,direction=${'a'.repeat(17)} duration=1`, 'direction is longer than 16 characters'],
    ['cdrs,account_sid=A,answered=maybe duration=1', 'answered must be true or false'],
    ['cdrs,account_sid=A duration="abc"', 'duration must be a number'],
    ['cdrs,account_sid=A,duration=45 x=1', 'duration must be a number'],
    ['cdrs,account_sid=A duration=true', 'duration must be a number'],
    ['cdrs,account_sid=A duration=2147483648', 'duration is out of range'],
    ['cdrs,account_sid=A sip_status="200"', 'sip_status must be a number'],
    ['cdrs,account_sid=A answered_at=1e17', 'answered_at is out of range'],
    ['cdrs,account_sid=A terminated_at=-1e17', 'terminated_at is out of range'],
    ['cdrs,account_sid=A cost="0.1"', 'cost must be a number'],
    ['cdrs,account_sid=A from=49301', 'from must be a text'],
  ])('%s is rejected: %s', (line, reason) => {
    expect(call(line)).toEqual({ ok: false, reason })
  })
})

describe('an alert', () => {
  test('is parsed with all fields', () => {
    const line =
      'alerts,alert_type=tts-failure,service_provider_sid=SP,account_sid=AC,vendor=google,zone=b ' +
      'message="m",detail="d",target_sid="CS" 7'
    expect(alert(line)).toEqual({
      ok: true,
      value: {
        time: 7n,
        account_sid: 'AC',
        service_provider_sid: 'SP',
        alert_type: 'tts-failure',
        message: 'm',
        detail: 'd',
        target_sid: 'CS',
        vendor: 'google',
        extra: { zone: 'b' },
      },
    })
  })

  test('needs no account, and uses its type as a missing message', () => {
    expect(alert('alerts,alert_type=no-carrier,account_sid=undefined detail=404')).toMatchObject({
      value: { account_sid: null, service_provider_sid: null, message: 'no-carrier', detail: '404', vendor: null },
    })
  })

  test('is stored even if the vendor name is too long', () => {
    expect(alert(`alerts,alert_type=no-tts,vendor=${'v'.repeat(80)} message="m"`)).toMatchObject({
      value: { vendor: 'v'.repeat(64) },
    })
  })

  test.each([
    ['alerts,account_sid=A message="m"', 'alert_type is missing'],
    ['alerts,alert_type=undefined message="m"', 'alert_type is missing'],
    [`alerts,alert_type=${'t'.repeat(65)} message="m"`, 'alert_type is longer than 64 characters'],
    [`alerts,alert_type=no-tts,account_sid=${'t'.repeat(37)} message="m"`, 'account_sid is longer than 36 characters'],
  ])('%s is rejected: %s', (line, reason) => {
    expect(alert(line)).toEqual({ ok: false, reason })
  })
})
