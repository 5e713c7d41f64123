import type { DependentKind } from '../../record/dependents-dialog.tsx'
import { editRouting } from '../../routes/lcr.ts'
import { editPhoneNumber } from '../../routes/phone-numbers.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { PhoneNumberText } from '../../ui/format/phone-number.tsx'
import type { CarrierUses } from './used-by.ts'

/** Returns the dependents of a carrier, with links to each of them. */
export const carrierKinds = ({ phone_numbers, lcrs }: CarrierUses, onLeave?: () => void): DependentKind[] => [
  {
    nouns: ['phone number', 'phone numbers'],
    uses: phone_numbers,
    show: ({ sid, name }) => (
      <ScreenLink to={editPhoneNumber} params={{ phone_number_sid: sid }} onClick={onLeave}>
        <PhoneNumberText value={name} />
      </ScreenLink>
    ),
  },
  {
    nouns: ['outbound call routing', 'outbound call routings'],
    uses: lcrs,
    show: ({ sid, name }) => (
      <ScreenLink to={editRouting} params={{ lcr_sid: sid }} onClick={onLeave}>
        <bdi>{name || 'Default route'}</bdi>
      </ScreenLink>
    ),
  },
]
