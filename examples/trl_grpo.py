"""TRL: GRPO on games of cards, with a tiny model on the CPU and nothing downloaded.

Untrained weights call no tool, so policies of the package write the model's answers: they read the text of the
conversation alone. The trainer does the rest: tools, rewards, advantages, and the gradient of the answers' tokens.
"""

import argparse
import json
import re
import tempfile
from collections.abc import Sequence
from typing import Any

import torch
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

import persian_rummy_env
from persian_rummy_env.adapters.trl import PersianRummyTools
from persian_rummy_env.text.prompt_player import PromptPlayer

END, PAD = "<|im_end|>", "<|pad|>"
TEMPLATE = (
    "{% if tools %}<|im_start|>system\n{% for tool in tools %}{{ tool | tojson }}\n{% endfor %}<|im_end|>\n{% endif %}"
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content or '' }}"
    "{% for call in message.tool_calls or [] %}<tool_call>{{ call.function | tojson }}</tool_call>{% endfor %}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
RESPONSE = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "tool_calls": {
            "open": "<tool_call>",
            "close_pattern": r"</tool_call>\s*",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close_pattern": r"<\|im_end\|>\s*", "content": "text"},
    },
}


def make_tokenizer() -> PreTrainedTokenizerFast:
    """Byte pairs learned from the text of one game's beginning."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=800,
        special_tokens=[PAD, END, "<|im_start|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([PersianRummyTools().reset(seed=seed) for seed in range(8)], trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=END, pad_token=PAD, padding_side="left")
    fast.chat_template, fast.response_template = TEMPLATE, RESPONSE
    return fast


def tool_call(answer: str) -> str:
    """An action in text as a call of a tool."""
    verb, *words = answer.split()
    arguments: dict[str, Any] = {"card": words[0]} if words else {}
    if verb == "meld":
        arguments = {"cards": words}
    elif verb == "layoff":
        arguments["meld"] = words[1]
    name = {"layoff": "lay_off", "pass": "pass_turn"}.get(verb, verb)
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>{END}"


class AnsweredModel(LlamaForCausalLM):
    """Random weights; policies write the answers. The name in an answer tells who goes on with the conversation."""

    def answered_by(self, names: Sequence[str], tokenizer: PreTrainedTokenizerFast) -> "AnsweredModel":
        """Each row of a batch that begins a conversation is played by one of the names, in turn."""
        self.players = {name: PromptPlayer(persian_rummy_env.load(name)) for name in names}
        self.tokenizer = tokenizer
        return self

    def generate(self, input_ids: torch.Tensor, **_: Any) -> torch.Tensor:  # type: ignore[override]
        texts = [text.replace(PAD, "") for text in self.tokenizer.batch_decode(input_ids.tolist())]
        names = list(self.players)
        answers = [self.answer(text, names[row % len(names)]) for row, text in enumerate(texts)]
        ids = [self.tokenizer.encode(answer, add_special_tokens=False) for answer in answers]
        longest = max(map(len, ids))
        padded = [row + [self.tokenizer.pad_token_id] * (longest - len(row)) for row in ids]
        return torch.cat([input_ids, torch.tensor(padded)], dim=1)

    def answer(self, text: str, name: str) -> str:
        begun = re.search(r"assistant\n(\w+): <tool_call>", text)
        name = begun[1] if begun else name
        if "The game is over." in text[text.rfind("<|im_start|>") - 2000 :]:
            return f"{name}: done.{END}"
        situation = text[[found.start() for found in re.finditer(r"Deal \d+ of \d+, dealer", text)][-1] :]
        return f"{name}: {tool_call(self.players[name].answer(situation.split(END)[0]))}"


def make_model(names: Sequence[str], tokenizer: PreTrainedTokenizerFast) -> AnsweredModel:
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=32768,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    torch.manual_seed(0)
    return AnsweredModel(config).answered_by(names, tokenizer)


def make_trainer(names: Sequence[str], seeds: Sequence[int], folder: str, factory: Any) -> GRPOTrainer:
    """A trainer that plays each deal once for each name, and makes one step for each deal."""
    tokenizer = make_tokenizer()
    rows = [{"prompt": [{"role": "user", "content": ""}], "seed": seed} for seed in seeds]
    settings = GRPOConfig(
        output_dir=folder,
        per_device_train_batch_size=len(names),
        num_generations=len(names),
        max_completion_length=24000,
        max_steps=len(seeds),
        shuffle_dataset=False,
        learning_rate=1e-2,
        use_cpu=True,
        bf16=False,
        report_to=[],
        save_strategy="no",
        logging_steps=1,
        disable_tqdm=True,
    )
    return GRPOTrainer(
        make_model(names, tokenizer),
        args=settings,
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
        environment_factory=factory,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--deals", type=int, default=10)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trainer = make_trainer(["champion", "greedy"], range(args.deals), folder, PersianRummyTools)
        before = trainer.model.lm_head.weight.clone()
        trainer.train()
    rewards = [log["reward"] for log in trainer.state.log_history if "reward" in log]
    moved = (trainer.model.lm_head.weight - before).abs().max().item()
    print(
        f"{args.deals} steps of GRPO, 2 rollouts each: {100 * sum(rewards) / len(rewards):+.1f} points a deal, "
        f"the largest change of a weight of the last layer {moved:.3f}"
    )
