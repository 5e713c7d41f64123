import { defineScreen } from './define-screen.ts'
import { type Given, omitUndefined, textsIn } from './list-search-params.ts'
import { phoneNumberList } from './phone-numbers.ts'

/** The input of the inbound routing test. It is in the URL, so that a link shows the result. */
export interface InboundSearch {
  source?: string
  number?: string
  realm?: string
}

export const inboundExplainer = defineScreen({
  path: '/internal/phone-numbers/inbound',
  title: 'Inbound routing test',
  serverExtension: 'inbound-routing',
  parent: phoneNumberList,
  search: (params: Given): InboundSearch =>
    omitUndefined({
      ...textsIn(params, 'source', 'number', 'realm'),
    }),
})
