import type { CarrierHealthSummary } from '@patchbay/contract/carrier-health'
import type { VoipCarrier } from '@patchbay/contract/voip-carriers'
import { describeHealth } from '../../sections/carrier-health/health-labels.ts'

/** Says what is known about the carrier that the routes select. Pure. */

export interface Selection {
  /** `unknown` if nothing is known to fail, and nothing shows that calls arrive. */
  outcome: 'good' | 'bad' | 'unknown'
  /** Follows the name of the carrier. */
  text: string
  /** Sentences about its state. */
  reasons: readonly string[]
}

interface SelectedCarrier {
  carrier: Pick<VoipCarrier, 'is_active' | 'requires_register' | 'register_status'>
  activeGateways: number
  /** Undefined if the server does not report it. */
  health: CarrierHealthSummary | undefined
}

/** The API of jambonz reports the registration only. */
const describeRegistration = ({ requires_register, register_status }: SelectedCarrier['carrier']): string[] => {
  const { status, reason } = register_status
  if (!requires_register || status === 'ok') return []
  if (status === undefined || status === null) return ['Its registration is not reported.']
  return [reason ? `It is not registered: ${reason}.` : 'It is not registered.']
}

/** Judges whether a call that the routes give to this carrier can arrive, by what is known about the carrier now. */
export const judgeSelection = ({ carrier, activeGateways, health }: SelectedCarrier): Selection => {
  if (activeGateways === 0)
    return { outcome: 'bad', text: 'is selected, but has no active outbound gateway, so the call fails.', reasons: [] }
  const reasons = [
    ...(carrier.is_active ? [] : ['It is inactive.']),
    ...(health === undefined ? describeRegistration(carrier) : [describeHealth(health)].filter(Boolean)),
  ]
  const isFailing = health?.state === 'failing' || health?.state === 'partly_failing'
  const { status } = carrier.register_status
  // A registration that was never reported is not known to fail.
  const isUnregistered = health === undefined && carrier.requires_register === 1 && Boolean(status) && status !== 'ok'
  if (!carrier.is_active || isFailing || isUnregistered)
    return { outcome: 'bad', text: 'is selected, but calls may not reach it.', reasons }
  return { outcome: health?.state === 'no_failure_known' ? 'good' : 'unknown', text: 'is selected.', reasons }
}
