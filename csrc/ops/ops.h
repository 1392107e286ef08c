// The catalogue: every operator's signature, family by family.
#pragma once

#include "ops/copy.h"
#include "ops/create.h"
#include "ops/dropout.h"
#include "ops/gather.h"
#include "ops/join.h"
#include "ops/loss.h"
#include "ops/norm.h"
#include "ops/random.h"
#include "ops/reduce.h"
#include "ops/scan.h"
#include "ops/softmax.h"
#include "ops/sort.h"
#include "ops/statistics.h"
#include "ops/vector_norm.h"
#include "ops/views.h"
