import { phoneNumberList } from './phone-numbers.ts'
import { defineScreen } from './define-screen.ts'
import { type Given, omitUndefined, textIn } from './list-search-params.ts'

/** A question that was asked stands in the address, so that a link shows its answer. */
export interface InboundSearch {
  source?: string
  number?: string
  realm?: string
}

export const inboundExplainer = defineScreen({
  path: '/internal/phone-numbers/inbound',
  title: 'Where a call comes in',
  serverExtension: 'inbound-routing',
  parent: phoneNumberList,
  search: (params: Given): InboundSearch =>
    omitUndefined({
      source: textIn(params, 'source'),
      number: textIn(params, 'number'),
      realm: textIn(params, 'realm'),
    }),
})
