import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createGroq } from '@ai-sdk/groq';
import { createMistral } from '@ai-sdk/mistral';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import { type CloudEngine, describeEngine, type VendorSettings, vendorAccess } from './engine-name.ts';

export function openLanguageModel(engine: CloudEngine, settings: VendorSettings): LanguageModel {
  const { baseUrl: baseURL, apiKey } = vendorAccess(engine, settings);
  switch (engine.vendor) {
    case 'openai':
      return createOpenAI({ baseURL, apiKey })(engine.model);
    case 'openai-compatible':
      return createOpenAICompatible({ name: 'openai-compatible', baseURL, ...(apiKey !== '' && { apiKey }) })(
        engine.model,
      );
    case 'anthropic':
      return createAnthropic({ baseURL, apiKey })(engine.model);
    case 'google':
      return createGoogle({ baseURL, apiKey })(engine.model);
    case 'groq':
      return createGroq({ baseURL, apiKey })(engine.model);
    case 'mistral':
      return createMistral({ baseURL, apiKey })(engine.model);
    case 'deepgram':
    case 'elevenlabs':
      throw new Error(`${describeEngine(engine)} is no language model`);
  }
}
