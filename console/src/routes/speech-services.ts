import { speechAttention } from '@patchbay/contract/shared/attention-kinds'
import { AudioLines } from 'lucide-react'
import { attentionSearch, rememberedAccount } from './account-search-params.ts'
import { defineScreen } from './define-screen.ts'
import { tabSearch } from './tab-search-params.ts'

export const speechList = defineScreen({
  path: '/internal/speech-services',
  title: 'Speech services',
  search: attentionSearch(speechAttention),
  defaultSearch: rememberedAccount,
  menu: { group: 'BYO Services', label: 'Speech', icon: AudioLines },
  shortcut: 'v',
})

export const addSpeech = defineScreen({
  path: '/internal/speech-services/add',
  title: 'Add a speech service',
  parent: speechList,
  requiresWrite: true,
})

export const editSpeech = defineScreen({
  path: '/internal/speech-services/$speech_credential_sid/edit',
  title: 'Edit Speech Service',
  search: tabSearch,
  parent: speechList,
})
